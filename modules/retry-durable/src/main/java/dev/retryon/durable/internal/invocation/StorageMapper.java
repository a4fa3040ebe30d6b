// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import dev.retryon.durable.ArgumentMapperBuilderCustomizer;
import java.io.Serial;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Creates the mapper for arguments. An application's settings for the JSON of its web pages do not apply, because they hide
 * and change values, and default typing would allow a text to name classes. The mapper reads and writes fields, not getters,
 * because objects must be restored unchanged. Modules on the class path are used.
 */
final class StorageMapper {

    private StorageMapper() {}

    static JsonMapper create(List<ArgumentMapperBuilderCustomizer> customizers) {
        JsonMapper.Builder builder = JsonMapper.builder()
                .findAndAddModules(StorageMapper.class.getClassLoader())
                .addModule(new SimpleModule("retryon")
                        .addDeserializer(Class.class, new NoClasses())
                        .addKeyDeserializer(Class.class, new NoClassKeys())
                        // Preserves the order of the elements.
                        .addAbstractTypeMapping(Set.class, LinkedHashSet.class))
                .annotationIntrospector(new Annotations())
                .changeDefaultVisibility(visibility -> visibility
                        .withVisibility(PropertyAccessor.ALL, Visibility.NONE)
                        .withVisibility(PropertyAccessor.CREATOR, Visibility.PUBLIC_ONLY)
                        .withVisibility(PropertyAccessor.FIELD, Visibility.ANY))
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                // The text of a constant can change, and two constants can have the same text.
                .disable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS);
        customizers.forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }

    private static final class Annotations extends JacksonAnnotationIntrospector {

        @Serial
        private static final long serialVersionUID = 1L;

        /** Requires that subtypes are chosen by names that the type maps to them. */
        @Override
        public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
            JsonTypeInfo.Value found = super.findPolymorphicTypeInfo(config, annotated);
            if (found != null && found.getIdType() != JsonTypeInfo.Id.NAME) {
                throw new IllegalArgumentException(annotated + " has @JsonTypeInfo(use = " + found.getIdType()
                        + "), but only NAME is allowed, because stored JSON must not name classes");
            }
            return found;
        }

        /** Includes every property, because an omitted one could not be distinguished from one that was added later. */
        @Override
        public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
            return JsonInclude.Value.empty();
        }

        /** Leaves unknown properties to {@link LenientReading}, which ignores them after it has checked where they come from. */
        @Override
        public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated annotated) {
            return super.findPropertyIgnoralByName(config, annotated).withoutIgnoreUnknown();
        }
    }

    /** Rejects classes, because they are not data: reading one would load and initialise whatever class the text names. */
    private static final class NoClasses extends StdDeserializer<Class<?>> {

        NoClasses() {
            super(Class.class);
        }

        @Override
        public Class<?> deserialize(JsonParser parser, DeserializationContext context) {
            return context.reportInputMismatch(this, "stored JSON must not name classes");
        }
    }

    private static final class NoClassKeys extends KeyDeserializer {

        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return context.reportInputMismatch(Class.class, "stored JSON must not name classes");
        }
    }
}

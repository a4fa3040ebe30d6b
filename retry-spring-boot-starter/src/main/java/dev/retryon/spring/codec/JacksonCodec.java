/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.codec;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import java.io.Serial;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Encodes arguments with Jackson 3. The mapper is its own: what an application sets for the JSON of its web pages holds no
 * data, and default typing would let a text name classes. It reads and writes fields, not getters, because an object is to
 * come back as it was. Modules on the class path are used.
 */
final class JacksonCodec implements Codec {

    private final JsonMapper mapper;

    /** Creates a codec with a mapper of its own. */
    JacksonCodec() {
        this.mapper = JsonMapper.builder()
                .findAndAddModules(JacksonCodec.class.getClassLoader())
                .addModule(new SimpleModule("retryon").addDeserializer(Class.class, new NoClasses()))
                .annotationIntrospector(new NamesAlone())
                .changeDefaultVisibility(visibility -> visibility
                        .withVisibility(PropertyAccessor.ALL, Visibility.NONE)
                        .withVisibility(PropertyAccessor.CREATOR, Visibility.PUBLIC_ONLY)
                        .withVisibility(PropertyAccessor.FIELD, Visibility.ANY))
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .build();
    }

    @Override
    public String encode(@Nullable Object argument, Type type) {
        JavaType declared = mapper.constructType(type);
        String json = mapper.writerFor(declared).writeValueAsString(argument);
        // What is written and can't be read is lost. Later it may be missing in a newer version of the class.
        mapper.readerFor(declared)
                .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .readValue(json);
        return json;
    }

    @Override
    public @Nullable Object decode(String json, Type type) {
        return mapper.readerFor(mapper.constructType(type)).readValue(json);
    }

    @Override
    public @Nullable String unfit(Type type) {
        Set<JavaType> parts = new LinkedHashSet<>();
        addParts(mapper.constructType(type), parts);
        for (JavaType part : parts) {
            String unfit = UnfitTypes.reason(part.getRawClass());
            if (unfit == null) {
                unfit = unreadable(part);
            }
            if (unfit != null) {
                return unfit;
            }
        }
        return null;
    }

    /** Collects a type with the types of its items, keys and values; a type may be among its own. */
    private static void addParts(@Nullable JavaType type, Set<JavaType> parts) {
        if (type == null || !parts.add(type)) {
            return;
        }
        for (int i = 0; i < type.containedTypeCount(); i++) {
            addParts(type.containedType(i), parts);
        }
        addParts(type.getContentType(), parts);
    }

    /** Asks the mapper, which knows annotations and modules. */
    private @Nullable String unreadable(JavaType type) {
        try {
            if (mapper._deserializationContext().findRootValueDeserializer(type) instanceof AbstractDeserializer) {
                return type.getRawClass().getName()
                        + " is abstract; annotate it with @JsonTypeInfo(use = NAME) and @JsonSubTypes, or take a class";
            }
            return null;
        } catch (RuntimeException ex) {
            return String.valueOf(ex.getMessage());
        }
    }

    /** Subtypes are chosen by names that the type maps to them. */
    private static final class NamesAlone extends JacksonAnnotationIntrospector {

        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
            JsonTypeInfo.Value found = super.findPolymorphicTypeInfo(config, annotated);
            if (found != null && found.getIdType() != JsonTypeInfo.Id.NAME) {
                throw new IllegalArgumentException(annotated + " has @JsonTypeInfo(use = " + found.getIdType()
                        + "), but only NAME is allowed: a stored text must not name classes");
            }
            return found;
        }
    }

    /** Classes are no data: reading one would load and initialise whatever the text names. */
    private static final class NoClasses extends StdDeserializer<Class<?>> {

        NoClasses() {
            super(Class.class);
        }

        @Override
        public Class<?> deserialize(JsonParser parser, DeserializationContext context) {
            return context.reportInputMismatch(this, "a stored text must not name classes");
        }
    }
}

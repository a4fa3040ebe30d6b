// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.stored;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.retryon.durable.Codec;
import dev.retryon.spring.internal.report.StarterLog;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.TreeNode;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.jackson.JsonValueSerializer;

/** Encodes arguments with Jackson 3 and a {@linkplain StorageMapper mapper} of its own. */
public final class JacksonCodec implements Codec, CopyCheck.Inside {

    private static final int MAX_WARNINGS = 1000;

    private static final int NO_STATE = Modifier.STATIC | Modifier.TRANSIENT;

    private final JsonMapper mapper = StorageMapper.create();

    private final JacksonTypes types = new JacksonTypes(mapper);

    private final Map<Class<?>, List<CopyCheck.Property>> properties = new ConcurrentHashMap<>();

    private final Map<Class<?>, List<CopyCheck.Property>> hidden = new ConcurrentHashMap<>();

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    @Override
    public String encode(@Nullable Object argument, Type type) {
        return mapper.writerFor(mapper.constructType(type)).writeValueAsString(argument);
    }

    @Override
    public @Nullable Object decode(String json, Type type) {
        JavaType declared = mapper.constructType(type);
        LenientReading reading = new LenientReading();
        Object argument = mapper.readerFor(declared).withHandler(reading).readValue(json);
        if (reading.hasDifferences()) {
            String again = mapper.writerFor(declared).writeValueAsString(argument);
            Set<String> added = reading.compare(mapper.readTree(json), mapper.readTree(again));
            if (!added.isEmpty()) {
                warn("a call was stored before these properties were added: " + added + " of its argument of"
                        + " type "
                        + type.getTypeName() + "; they have their default values. To let such calls wait instead, add"
                        + " @JsonProperty(required = true) (logged once)");
            }
        }
        return argument;
    }

    private void warn(String warning) {
        if (warned.size() < MAX_WARNINGS && warned.add(warning)) {
            StarterLog.warn(warning);
        }
    }

    @Override
    public @Nullable String unfit(Type type) {
        return types.unfit(mapper.constructType(type));
    }

    @Override
    public List<String> doubts(Type type) {
        return types.doubts(mapper.constructType(type));
    }

    @Override
    public @Nullable String difference(@Nullable Object argument, @Nullable Object decoded, Type type)
            throws Exception {
        return new CopyCheck(this).difference(argument, decoded, type);
    }

    @Override
    public List<CopyCheck.Property> properties(Class<?> type) {
        return properties.computeIfAbsent(type, this::written);
    }

    private List<CopyCheck.Property> written(Class<?> type) {
        return writers(type)
                .map(each ->
                        new CopyCheck.Property(each.getName(), each.getType().getRawClass(), each::get))
                .toList();
    }

    private Stream<BeanPropertyWriter> writers(Class<?> type) {
        List<BeanPropertyWriter> writers = new ArrayList<>();
        mapper._serializationContext().findValueSerializer(type).properties().forEachRemaining(each -> {
            // One without a member has a value that is made up while it is written.
            if (each instanceof BeanPropertyWriter writer && writer.getMember() != null) {
                writers.add(writer);
            }
        });
        return writers.stream();
    }

    @Override
    public List<CopyCheck.Property> hidden(Class<?> type) {
        return hidden.computeIfAbsent(type, this::notWritten);
    }

    private List<CopyCheck.Property> notWritten(Class<?> type) {
        SerializationContext context = mapper._serializationContext();
        if (!hasFieldsAsState(type, context.findValueSerializer(type))) {
            return List.of();
        }
        Set<Member> written =
                writers(type).map(each -> each.getMember().getMember()).collect(Collectors.toSet());
        Set<String> ignored = ignored(context.constructType(type));
        List<CopyCheck.Property> found = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Class<?> owner = type; owner != null && !CopyCheck.isOfPlatform(owner); owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                // Jackson's ignored names refer to the fields that no subclass hides.
                boolean hasName = names.add(field.getName());
                JsonIgnore ignore = field.getAnnotation(JsonIgnore.class);
                boolean isIgnored =
                        (ignore != null && ignore.value()) || (hasName && ignored.contains(field.getName()));
                boolean isState = !isIgnored && !field.isSynthetic() && (field.getModifiers() & NO_STATE) == 0;
                if (isState && !written.contains(field) && field.trySetAccessible()) {
                    found.add(new CopyCheck.Property(field.getName(), field.getType(), field::get));
                }
            }
        }
        return found;
    }

    /** Returns the names of properties with {@code @JsonIgnore} on any member. Jackson lists them only for reading. */
    private Set<String> ignored(JavaType type) {
        DeserializationContext context = mapper._deserializationContext();
        BeanDescription description = context.introspectBeanDescription(type, context.introspectClassAnnotations(type));
        var unused = description.findProperties(); // finds the ignored ones too
        return Objects.requireNonNullElse(description.getIgnoredPropertyNames(), Set.of());
    }

    /** Whether the fields of a class are its state, except ignored ones. A custom serializer can write any other state. */
    private static boolean hasFieldsAsState(Class<?> type, ValueSerializer<?> serializer) {
        if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
            // Below a class such as ArrayList, the fields are more than the elements.
            Class<?> known = type;
            while (!CopyCheck.isOfPlatform(known)) {
                known = known.getSuperclass();
            }
            return known != Object.class && !Modifier.isAbstract(known.getModifiers());
        }
        return serializer instanceof BeanSerializerBase
                || serializer instanceof UnknownSerializer
                || serializer instanceof JsonValueSerializer;
    }

    @Override
    public boolean isText(Object value) {
        return value instanceof TreeNode;
    }

    @Override
    public String text(Object value) {
        return mapper.writeValueAsString(value);
    }
}

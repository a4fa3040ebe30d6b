// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.stored;

import dev.retryon.durable.Codec;
import dev.retryon.spring.internal.report.StarterLog;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.TreeNode;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;

/** Encodes arguments with Jackson 3 and a {@linkplain StorageMapper mapper} of its own. */
public final class JacksonCodec implements Codec, CopyCheck.Inside {

    private static final int MAX_WARNINGS = 1000;

    private final JsonMapper mapper = StorageMapper.create();

    private final JacksonTypes types = new JacksonTypes(mapper);

    private final Map<Class<?>, List<CopyCheck.Property>> properties = new ConcurrentHashMap<>();

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
        List<CopyCheck.Property> written = new ArrayList<>();
        mapper._serializationContext().findValueSerializer(type).properties().forEachRemaining(each -> {
            // One without a member has a value that is made up while it is written.
            if (each instanceof BeanPropertyWriter writer && writer.getMember() != null) {
                written.add(new CopyCheck.Property(
                        writer.getName(), writer.getType().getRawClass(), writer::get));
            }
        });
        return written;
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

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.util.TokenBuffer;

/** The JSON format of stored calls, which names no classes to load. Rejects unreadable texts with an exception. */
public final class StoredCallFormat {

    private static final int VERSION = 1;

    /** An upper limit for the size of all stored data besides the arguments: past attempts, errors, the log context, names. */
    private static final int ENVELOPE_BYTES = 1024 * 1024;

    /** The document is nested more deeply than its arguments, whose own depth must not be limited further. */
    private static final int MAX_DEPTH = StreamReadConstraints.DEFAULT_MAX_DEPTH + 10;

    private record Version(int v) {}

    /**
     * The document of a call as JSON, with tokens that preserve each number as it was written. The {@code override} has
     * only numbers, times, and words from a fixed list, because a row must not choose the code that runs.
     */
    record Document(
            int v,
            String key,
            String name,
            @Nullable String bean,
            TokenBuffer args,
            CallState state,
            Duration delay,
            Map<String, String> override,
            Map<String, String> context) {

        Document {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(args, "args");
            Objects.requireNonNull(state.callId(), "state.callId");
            Objects.requireNonNull(state.startedAt(), "state.startedAt");
            Objects.requireNonNull(delay, "delay");
            override.values().forEach(Objects::requireNonNull);
            context.values().forEach(Objects::requireNonNull);
            check(state.error());
            for (CallState.Failed failed : state.past()) {
                check(failed.error());
                Objects.requireNonNull(failed.delay(), "state.past.delay");
            }
            if (state.attempt() == Integer.MAX_VALUE) {
                throw new IllegalArgumentException("no attempt can follow attempt " + state.attempt());
            }
        }

        private static void check(@Nullable ErrorText error) {
            if (error != null) {
                Objects.requireNonNull(error.type(), "error.type");
            }
        }
    }

    private final JsonMapper mapper = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .streamWriteConstraints(StreamWriteConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .changeDefaultPropertyInclusion(inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            // In milliseconds, because parsing a text took a third of the time to read a call.
            .enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DateTimeFeature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS)
            .addModule(new SimpleModule("retryon").addDeserializer(Instant.class, new Milliseconds()))
            .build();

    private final long maxArgumentBytes;

    /** Creates a format that rejects calls that are longer than any call whose arguments have the given number of bytes. */
    StoredCallFormat(long maxArgumentBytes) {
        this.maxArgumentBytes = maxArgumentBytes;
    }

    /** Returns the types that Jackson maps by reflection. */
    public static Class<?>[] mappedTypes() {
        return new Class<?>[] {Version.class, Document.class};
    }

    long longest() {
        return maxArgumentBytes + ENVELOPE_BYTES;
    }

    byte[] write(CallContent call) {
        Map<String, String> override = new LinkedHashMap<>();
        call.override().values().forEach((setting, value) -> {
            if (setting.isPlain()) {
                override.put(setting.attribute(), Setting.print(value));
            }
        });
        return mapper.writeValueAsBytes(new Document(
                VERSION,
                call.key(),
                call.name(),
                call.bean(),
                mapper.readValue(call.arguments(), TokenBuffer.class),
                call.state(),
                call.delay(),
                override,
                call.context()));
    }

    /**
     * Reads a call.
     *
     * @throws NewerException if a newer version of RetryOn has written it
     * @throws IllegalArgumentException with a sentence if the text is not a call
     */
    CallContent read(byte[] data) {
        if (data.length > longest()) {
            throw new IllegalArgumentException(
                    "it is " + data.length + " bytes long, but at most " + longest() + " are stored");
        }
        try {
            int version = mapper.readValue(data, Version.class).v();
            if (version > VERSION) {
                throw new NewerException(version);
            }
            Document document = mapper.readValue(data, Document.class);
            return new CallContent(
                    document.key(),
                    document.name(),
                    document.bean(),
                    mapper.writeValueAsString(document.args()),
                    document.state(),
                    document.delay(),
                    override(document.override()),
                    document.context());
        } catch (NewerException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            throw new IllegalArgumentException("it cannot be read: " + ex.getMessage(), ex);
        }
    }

    /** The beginning of a call's document, whose text begins with the arguments, and can end in the middle of them. */
    record Start(String key, String arguments) {}

    /** Reads the beginning of a document. Returns {@code null} if the beginning is too short, or not of this version. */
    @Nullable Start start(String text) {
        String key = null;
        boolean isKnown = false;
        try (JsonParser parser = mapper.createParser(text)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String property = parser.currentName();
                parser.nextToken();
                if (property.equals("v")) {
                    isKnown = parser.getIntValue() == VERSION;
                } else if (property.equals("key")) {
                    key = parser.getString();
                } else if (property.equals("args")) {
                    int begin = (int) parser.currentTokenLocation().getCharOffset();
                    return key == null || !isKnown ? null : new Start(key, text.substring(begin));
                }
                parser.skipChildren();
            }
        } catch (JacksonException ex) {
            return null;
        }
        return null;
    }

    private static RetrySettings override(Map<String, String> texts) {
        RetrySettings.Builder override = RetrySettings.builder();
        texts.forEach((attribute, text) -> override.read(setting(attribute), text, fault -> {
            throw new IllegalArgumentException(fault);
        }));
        return override.build();
    }

    private static Setting<?> setting(String attribute) {
        return Setting.all().stream()
                .filter(setting -> setting.isPlain() && setting.attribute().equals(attribute))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + attribute + "' is never overridden"));
    }

    /** Jackson would interpret any number and many texts as a time. */
    private static final class Milliseconds extends StdDeserializer<Instant> {

        Milliseconds() {
            super(Instant.class);
        }

        @Override
        public Instant deserialize(JsonParser parser, DeserializationContext context) {
            return Instant.ofEpochMilli(parser.getLongValue());
        }
    }

    /** Adds the versions that can be read to the announcement of a process. */
    static Set<String> readable(Set<String> lines) {
        for (int version = 1; version <= VERSION; version++) {
            lines.add(line(version));
        }
        return lines;
    }

    private static String line(int version) {
        return "format " + version;
    }

    /** Returns the stored text for display, truncated to the maximum length of arguments. */
    String raw(byte[] data) {
        return new String(data, 0, (int) Math.min(data.length, maxArgumentBytes), StandardCharsets.UTF_8);
    }

    /** A newer version of RetryOn has written the call, so only a process with that version can run it. */
    static final class NewerException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int version;

        NewerException(int version) {
            super("it has format " + version + ", but this process supports " + VERSION);
            this.version = version;
        }

        Set<String> readers() {
            return Set.of(line(version));
        }
    }
}

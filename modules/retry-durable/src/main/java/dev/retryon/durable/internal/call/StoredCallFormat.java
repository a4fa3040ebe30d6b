// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Stored calls as JSON. Nothing in it names a class that is loaded; what can't be read is refused with an exception. */
final class StoredCallFormat {

    private static final int VERSION = 1;

    private static final String OVERRIDE = "override";

    /** What is stored beside the arguments: errors, the log context, names. */
    private static final int ENVELOPE_BYTES = 256 * 1024;

    /** Why a call waits without being run. The names are the same in every version. */
    enum Mark {
        /** No process was found that can run it. */
        UNRESOLVED("unresolvedSince"),

        /** A process that has the method can't decode the arguments. */
        UNFIT("unfitSince");

        private final String field;

        Mark(String field) {
            this.field = field;
        }
    }

    private final JsonMapper mapper = JsonMapper.builder().build();

    private final long maxBytes;

    /** A format that refuses calls that are longer than any whose arguments have the given number of bytes. */
    StoredCallFormat(long maxArgumentBytes) {
        // Escapes make a text longer: twice for quotes, up to six times for control characters.
        this.maxBytes = 6 * maxArgumentBytes + ENVELOPE_BYTES;
    }

    long longest() {
        return maxBytes;
    }

    byte[] write(StoredCall call) {
        ObjectNode json = mapper.createObjectNode();
        json.put("v", VERSION);
        json.put("key", call.key());
        json.put("name", call.name());
        json.put("bean", call.bean());
        json.put("args", call.arguments());
        CallState state = call.state();
        json.put("callId", state.callId());
        json.put("attempt", state.attempt());
        put(json, "lastDelay", state.lastDelay());
        put(json, "startedAt", state.startedAt());
        if (!state.past().isEmpty()) {
            putPast(json.putArray("past"), state.past());
        }
        put(json, state.error());
        put(json, "failedAt", state.failedAt());
        put(json, "firstFailedAt", state.firstFailedAt());
        put(json, "delay", call.delay().isZero() ? null : call.delay());
        putOverride(json, call.override());
        if (!call.context().isEmpty()) {
            ObjectNode context = json.putObject("context");
            call.context().forEach(context::put);
        }
        return mapper.writeValueAsBytes(json);
    }

    private static void putPast(ArrayNode json, List<CallState.Failed> past) {
        for (CallState.Failed failed : past) {
            ObjectNode item = json.addObject();
            item.put("number", failed.number());
            put(item, failed.error());
            put(item, "delay", failed.delay());
            put(item, "failedAt", failed.failedAt());
        }
    }

    private static void put(ObjectNode json, String name, @Nullable Duration delay) {
        if (delay != null) {
            json.put(name, delay.toString());
        }
    }

    /** Writes milliseconds, because parsing a text took a third of the time to read a call. */
    private static void put(ObjectNode json, String name, @Nullable Instant moment) {
        if (moment != null) {
            json.put(name, moment.toEpochMilli());
        }
    }

    private static void put(ObjectNode json, @Nullable ErrorText error) {
        if (error != null) {
            ObjectNode item = json.putObject("error");
            item.put("type", error.type());
            item.put("message", error.message());
        }
    }

    /**
     * Reads a call.
     *
     * @throws NewerException if a newer version of RetryOn has written it
     * @throws IllegalArgumentException with a sentence, if it is not a call
     */
    StoredCall read(byte[] data) {
        if (data.length > maxBytes) {
            throw new IllegalArgumentException(
                    "it is " + data.length + " bytes long, but at most " + maxBytes + " are stored");
        }
        try {
            JsonNode json = mapper.readTree(data);
            int version = json.required("v").asInt();
            if (version > VERSION) {
                throw new NewerException(version);
            }
            return call(json);
        } catch (NewerException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            throw new IllegalArgumentException("it can't be read: " + ex.getMessage(), ex);
        }
    }

    private static StoredCall call(JsonNode json) {
        List<CallState.Failed> past = new ArrayList<>();
        for (JsonNode item : json.path("past")) {
            past.add(new CallState.Failed(
                    item.required("number").asInt(),
                    error(item),
                    Duration.parse(text(item, "delay")),
                    instant(item, "failedAt")));
        }
        String lastDelay = optional(json, "lastDelay");
        CallState state = new CallState(
                text(json, "callId"),
                attempt(json),
                lastDelay == null ? null : Duration.parse(lastDelay),
                Instant.ofEpochMilli(json.required("startedAt").longValue()),
                past,
                error(json),
                instant(json, "failedAt"),
                instant(json, "firstFailedAt"));
        String delay = optional(json, "delay");
        Map<String, String> context = new LinkedHashMap<>();
        json.path("context")
                .properties()
                .forEach(entry -> context.put(entry.getKey(), entry.getValue().asString()));
        return new StoredCall(
                text(json, "key"),
                text(json, "name"),
                optional(json, "bean"),
                text(json, "args"),
                state,
                delay == null ? Duration.ZERO : Duration.parse(delay),
                override(json),
                context);
    }

    /**
     * Writes the overridden settings that are numbers, times, or words of a fixed list. Types, expressions and names of beans
     * are left out, because a row must not choose the code that runs.
     */
    private static void putOverride(ObjectNode call, RetrySettings override) {
        List<? extends Setting<?>> kept =
                override.values().keySet().stream().filter(Setting::isPlain).toList();
        if (!kept.isEmpty()) {
            ObjectNode item = call.putObject(OVERRIDE);
            kept.forEach(
                    setting -> item.put(setting.attribute(), override.texts().get(setting.attribute())));
        }
    }

    private static RetrySettings override(JsonNode call) {
        JsonNode item = call.get(OVERRIDE);
        if (item == null) {
            return RetrySettings.NONE;
        }
        RetrySettings.Builder override = RetrySettings.builder();
        item.properties().forEach(entry -> {
            String text = String.valueOf(entry.getValue().stringValue());
            override.read(setting(entry.getKey()), text, fault -> {
                throw new IllegalArgumentException(fault);
            });
        });
        return override.build();
    }

    private static Setting<?> setting(String attribute) {
        return Setting.all().stream()
                .filter(setting -> setting.isPlain() && setting.attribute().equals(attribute))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + attribute + "' is never overridden"));
    }

    private static String text(JsonNode json, String name) {
        String value = optional(json, name);
        if (value == null) {
            throw new IllegalArgumentException("there is no text '" + name + "'");
        }
        return value;
    }

    /** The number of the last attempt; one follows it. */
    private static int attempt(JsonNode json) {
        int attempt = json.required("attempt").asInt();
        if (attempt == Integer.MAX_VALUE) {
            throw new IllegalArgumentException("no attempt can follow attempt " + attempt);
        }
        return attempt;
    }

    private static @Nullable String optional(JsonNode json, String name) {
        JsonNode value = json.get(name);
        return value == null || value.isNull() ? null : value.stringValue();
    }

    private static @Nullable Instant instant(JsonNode json, String name) {
        JsonNode value = json.get(name);
        return value == null || value.isNull() ? null : Instant.ofEpochMilli(value.longValue());
    }

    private static @Nullable ErrorText error(JsonNode json) {
        JsonNode error = json.get("error");
        return error == null || error.isNull() ? null : new ErrorText(text(error, "type"), optional(error, "message"));
    }

    /** Adds the versions that can be read, to what a process announces. */
    static Set<String> readable(Set<String> lines) {
        for (int version = 1; version <= VERSION; version++) {
            lines.add(line(version));
        }
        return lines;
    }

    private static String line(int version) {
        return "format " + version;
    }

    /** Returns since when a call has a mark; {@code null} if it has none. For any version, and never throws. */
    @Nullable Instant markedSince(byte[] data, Mark mark) {
        try {
            return instant(mapper.readTree(data), mark.field);
        } catch (RuntimeException ex) {
            return null;
        }
    }

    byte[] marked(byte[] data, Mark mark, Instant since) {
        ObjectNode json = (ObjectNode) mapper.readTree(data);
        put(json, mark.field, since);
        return mapper.writeValueAsBytes(json);
    }

    /** Returns the stored text for people, cut to the length that arguments may have. */
    String raw(byte[] data) {
        int length = (int) Math.min(data.length, (maxBytes - ENVELOPE_BYTES) / 6);
        return new String(data, 0, length, StandardCharsets.UTF_8);
    }

    /** A newer version of RetryOn has written the call, so only a process with that version can run it. */
    static final class NewerException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int version;

        NewerException(int version) {
            super("it has format " + version + ", but this process knows " + VERSION);
            this.version = version;
        }

        Set<String> readers() {
            return Set.of(line(version));
        }
    }
}

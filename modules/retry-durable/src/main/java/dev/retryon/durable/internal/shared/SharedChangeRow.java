// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.shared;

import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.StarterLog;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.json.JsonWriter;

/**
 * The change for all nodes under one name, as a row, which another version or a person can have written.
 *
 * @param kind the kind of the name: all, policy, budget or name
 * @param settings JSON with texts by attribute; an empty object if the change was reverted
 * @param endsAt when the change expires, in milliseconds since 1970; {@code null} if it does not expire
 */
record SharedChangeRow(
        String kind,
        String name,
        String settings,
        long changedAt,
        @Nullable String changedBy,
        @Nullable Long endsAt,
        long version) {

    private static final int LONGEST_SETTINGS = 100_000;

    private static final String NOTHING = "{}";

    private static final JsonWriter<Map<String, String>> JSON = JsonWriter.standard();

    record Key(String kind, String name) {

        static Key of(RuntimeChange.Target target) {
            return new Key(target.scope().name().toLowerCase(Locale.ROOT), target.name());
        }

        /** Throws IllegalArgumentException if the kind is unknown. */
        RuntimeChange.Target target() {
            for (RuntimeChange.Scope scope : RuntimeChange.Scope.values()) {
                RuntimeChange.Target target = new RuntimeChange.Target(scope, name, true);
                if (of(target).kind.equals(kind)) {
                    return target;
                }
            }
            throw new IllegalArgumentException(
                    "kind is '" + StarterLog.plain(kind) + "', which this version does not support");
        }

        @Override
        public String toString() {
            return StarterLog.plain(kind + (name.isEmpty() ? "" : " '" + name + "'"));
        }
    }

    static SharedChangeRow of(RuntimeChange change, long version) {
        Key key = Key.of(change.target());
        return new SharedChangeRow(
                key.kind(),
                key.name(),
                RetryStore.storable(JSON.writeToString(change.settings().texts())),
                change.since().toEpochMilli(),
                RetryStore.storable(change.by(), RetryStore.LONGEST_NAME),
                change.until() == null ? null : change.until().toEpochMilli(),
                version);
    }

    /** Returns the remaining part of a reverted change, which shows other nodes who reverted it. */
    static SharedChangeRow takenBack(Key key, Instant now, @Nullable String by, long version) {
        long at = now.toEpochMilli();
        return new SharedChangeRow(
                key.kind(), key.name(), NOTHING, at, RetryStore.storable(by, RetryStore.LONGEST_NAME), at, version);
    }

    Key key() {
        return new Key(kind, name);
    }

    /** Returns the user who reverted the change, or {@code null} if the change was not reverted or the user is unknown. */
    @Nullable String takenBackBy() {
        return settings.trim().equals(NOTHING) && changedBy != null ? StarterLog.plain(changedBy) : null;
    }

    boolean isOver(Instant now) {
        return endsAt != null && endsAt <= now.toEpochMilli();
    }

    /**
     * Returns the change that applies; {@code null} if it was reverted or is over.
     *
     * @throws IllegalArgumentException if the row cannot be read
     */
    @Nullable RuntimeChange change(Instant now) {
        if (isOver(now)) {
            return null;
        }
        Instant since = Instant.ofEpochMilli(changedAt);
        Instant until = endsAt == null ? null : Instant.ofEpochMilli(endsAt);
        if (until != null && Duration.between(since, until).compareTo(RuntimeChange.LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "ends_at is more than " + RuntimeChange.LONGEST.toDays() + " days after changed_at");
        }
        Map<String, @Nullable String> values = values();
        return values.isEmpty()
                ? null
                : withoutCode(new RuntimeChange(
                        key().target(),
                        RuntimeChange.read(null, values),
                        since,
                        changedBy == null ? null : StarterLog.plain(changedBy),
                        until));
    }

    private static RuntimeChange withoutCode(RuntimeChange change) {
        for (Setting<?> setting : change.settings().values().keySet()) {
            if (!setting.isPlain()) {
                throw new IllegalArgumentException("'" + setting.attribute()
                        + "' cannot be changed for all nodes, because database content must not select code to"
                        + " run; change it on each node");
            }
        }
        return change;
    }

    private Map<String, @Nullable String> values() {
        if (settings.length() > LONGEST_SETTINGS) {
            throw new IllegalArgumentException("settings have more than " + LONGEST_SETTINGS + " characters");
        }
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        try {
            JsonParserFactory.getJsonParser().parseMap(settings).forEach((attribute, value) -> {
                boolean isScalar = value instanceof String || value instanceof Number || value instanceof Boolean;
                if (!isScalar) {
                    throw new IllegalArgumentException(
                            "settings do not have exactly one value for '" + StarterLog.plain(attribute) + "'");
                }
                values.put(attribute, value.toString());
            });
        } catch (JsonParseException ex) {
            throw new IllegalArgumentException("settings are not a flat JSON object", ex);
        }
        return values;
    }
}

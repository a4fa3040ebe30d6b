// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The settings of one layer. A setting that is not set is inherited from weaker layers. Immutable. */
public final class RetrySettings {

    /** A layer that sets nothing. */
    public static final RetrySettings NONE = builder().build();

    private final Map<Setting<?>, Object> values;

    private RetrySettings(Map<Setting<?>, Object> values) {
        this.values = values;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The values by setting, in the order of {@link Setting#all()}. */
    public Map<Setting<?>, Object> values() {
        return values;
    }

    /** The value of a setting; {@code null} if this layer does not set it. */
    public <T> @Nullable T get(Setting<T> setting) {
        Object value = values.get(setting);
        return value == null ? null : setting.cast(value);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Merges stronger settings into these settings. Single values are replaced, and lists add up. */
    public RetrySettings and(RetrySettings stronger) {
        Builder both = builder();
        values.keySet().forEach(setting -> both.copy(setting, this));
        stronger.values.keySet().forEach(setting -> both.copy(setting, stronger));
        return both.build();
    }

    /** The settings by attribute as they are written in properties, such as {@code delay=500ms}. */
    public Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((setting, value) -> texts.put(setting.attribute(), Setting.print(value)));
        return texts;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RetrySettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return texts().toString();
    }

    /** Collects the settings of one layer. Not thread-safe. */
    public static final class Builder {

        private final Map<Setting<?>, Object> values = new TreeMap<>();

        private Builder() {}

        /**
         * Sets a setting. The items of a list are added.
         *
         * @throws IllegalArgumentException if the value is not allowed; the message states the rule
         */
        public <T> Builder set(Setting<T> setting, T value) {
            Object before = values.get(setting);
            values.put(setting, setting.merge(before == null ? null : setting.cast(before), setting.check(value)));
            return this;
        }

        /** Sets a value that can be missing or wrong. An empty list sets nothing. */
        public <T> Builder accept(Setting<T> setting, @Nullable T value, Consumer<String> onFault) {
            boolean isSet = value != null
                    && !(value instanceof Collection<?> items && items.isEmpty())
                    && !(value instanceof Map<?, ?> entries && entries.isEmpty());
            return isSet ? trying(() -> set(setting, Objects.requireNonNull(value)), onFault) : this;
        }

        /** Reads a setting from a text with resolved placeholders. A blank text sets nothing. */
        public <T> Builder read(Setting<T> setting, String text, Consumer<String> onFault) {
            if (text.contains("${")) {
                onFault.accept(setting.attribute() + " " + Setting.unresolved(text));
                return this;
            }
            return text.isBlank() ? this : trying(() -> set(setting, setting.parse(text)), onFault);
        }

        private Builder trying(Runnable change, Consumer<String> onFault) {
            try {
                change.run();
            } catch (IllegalArgumentException ex) {
                onFault.accept(String.valueOf(ex.getMessage()));
            }
            return this;
        }

        /** Copies a value that the settings have. */
        public <T> Builder copy(Setting<T> setting, RetrySettings settings) {
            return set(setting, Objects.requireNonNull(settings.get(setting)));
        }

        /** Adds a rule for an error. */
        Builder onError(ErrorKey error, Consumer<Builder> rule) {
            Builder settings = builder();
            rule.accept(settings);
            return set(Setting.ERRORS, Map.of(error, settings.build()));
        }

        public RetrySettings build() {
            return new RetrySettings(Collections.unmodifiableMap(new TreeMap<>(values)));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.settings.ErrorKey;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one layer, with their source. A setting that is not set is inherited from weaker layers. Layers with
 * the same values are equal even if their sources differ, because nearly every annotation is a different source.
 * Immutable.
 */
public final class RetrySettings {

    /** A layer without settings. */
    public static final RetrySettings NONE = builder().build();

    private final Map<Setting<?>, Object> values;

    private final SettingSource source;

    private final List<RetryFault> faults;

    private final Map<String, String> placeholders;

    private RetrySettings(
            Map<Setting<?>, Object> values,
            SettingSource source,
            List<RetryFault> faults,
            Map<String, String> placeholders) {
        this.values = values;
        this.source = source;
        this.faults = faults;
        this.placeholders = placeholders;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the settings of a policy that was built in code. Gates and other parts that exist only as code are not
     * included.
     */
    public static RetrySettings of(RetryPolicy policy) {
        Builder settings = builder();
        Setting.all().forEach(setting -> copy(setting, policy, settings));
        policy.errorRules()
                .forEach((error, rule) -> settings.onError(
                        ErrorKey.ofCode(error),
                        shown -> Setting.ofRules().forEach(setting -> copy(setting, rule, shown))));
        return settings.build();
    }

    private static <T> void copy(Setting<T> setting, RetryPolicy policy, Builder into) {
        into.accept(setting, setting.of(policy), fault -> {});
    }

    /** Returns these settings with another source. */
    public RetrySettings from(SettingSource other) {
        return new RetrySettings(values, other, faults, placeholders);
    }

    /**
     * Returns these settings with faults, which are reported only if a method of this application has these settings.
     */
    public RetrySettings withFaults(List<RetryFault> others) {
        return new RetrySettings(values, source, List.copyOf(others), placeholders);
    }

    /** Returns these settings with their placeholders. Each text is stored by its value, which can be a secret. */
    public RetrySettings withPlaceholders(Map<String, String> others) {
        return new RetrySettings(values, source, faults, Map.copyOf(others));
    }

    /** Returns the source of the settings; {@link SettingSource#CODE} unless another source is set. */
    public SettingSource source() {
        return source;
    }

    public List<RetryFault> faults() {
        return faults;
    }

    public Map<String, String> placeholders() {
        return placeholders;
    }

    /** Returns the values by setting, in the order of {@link Setting#all()}. */
    public Map<Setting<?>, Object> values() {
        return values;
    }

    /** Returns the value of a setting; {@code null} if this layer does not set it. */
    public <T> @Nullable T get(Setting<T> setting) {
        Object value = values.get(setting);
        return value == null ? null : setting.cast(value);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns the exception types that are listed or have a rule, as a new set. */
    public Set<Class<? extends Throwable>> listedTypes() {
        Map<ErrorKey, RetrySettings> rules = get(Setting.ERRORS);
        return ErrorKey.types(get(Setting.EXCEPTIONS), rules == null ? Set.of() : rules.keySet());
    }

    /** Returns a copy of these settings without those that match a predicate. */
    public RetrySettings without(Predicate<Setting<?>> some) {
        Map<Setting<?>, Object> left = new TreeMap<>(values);
        left.keySet().removeIf(some);
        return new RetrySettings(Collections.unmodifiableMap(left), source, faults, placeholders);
    }

    /** Returns a copy of these settings in which the fixed settings have the values of another layer. */
    public RetrySettings keeping(Set<Setting<?>> fixed, @Nullable RetrySettings before) {
        Map<Setting<?>, Object> kept = new TreeMap<>(without(fixed::contains).values);
        if (before != null) {
            kept.putAll(before.without(setting -> !fixed.contains(setting)).values);
        }
        return new RetrySettings(Collections.unmodifiableMap(kept), source, faults, placeholders);
    }

    /**
     * Returns the layers of a retry, but with the previous values of the fixed settings. Blocks of properties are not
     * the only source of changes: a placeholder in an annotation can also change, and then name another policy.
     */
    public static List<RetrySettings> keeping(
            Set<Setting<?>> fixed, List<RetrySettings> layers, List<RetrySettings> before) {
        List<RetrySettings> kept = only(fixed, before);
        return haveSameSources(only(fixed, layers), kept)
                ? layers
                : Stream.concat(kept.stream(), layers.stream().map(layer -> layer.without(fixed::contains)))
                        .toList();
    }

    private static List<RetrySettings> only(Set<Setting<?>> fixed, List<RetrySettings> layers) {
        return layers.stream()
                .map(layer -> layer.without(setting -> !fixed.contains(setting)))
                .filter(layer -> !layer.isEmpty())
                .toList();
    }

    /** Returns whether two lists of layers have the same values from the same sources. */
    public static boolean haveSameSources(List<RetrySettings> some, List<RetrySettings> others) {
        return some.equals(others)
                && some.stream()
                        .map(RetrySettings::source)
                        .toList()
                        .equals(others.stream().map(RetrySettings::source).toList());
    }

    /** Merges stronger settings into these settings. Individual values are replaced, and lists add up. */
    public RetrySettings and(RetrySettings stronger) {
        Builder both = builder();
        values.keySet().forEach(setting -> both.copy(setting, this));
        stronger.values.keySet().forEach(setting -> both.copy(setting, stronger));
        return both.build();
    }

    /** Returns the settings by attribute, as they are written in properties, such as {@code delay=500ms}. */
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
         * Sets a setting. For a list, adds the items.
         *
         * @throws IllegalArgumentException if the value is not allowed; the message states the rule
         */
        public <T> Builder set(Setting<T> setting, T value) {
            Object before = values.get(setting);
            values.put(setting, setting.merge(before == null ? null : setting.cast(before), setting.check(value)));
            return this;
        }

        /** Sets a value that can be missing or invalid. An empty list sets nothing. */
        public <T> Builder accept(Setting<T> setting, @Nullable T value, Consumer<String> onFault) {
            boolean isSet = value != null
                    && !(value instanceof Collection<?> items && items.isEmpty())
                    && !(value instanceof Map<?, ?> entries && entries.isEmpty());
            return isSet ? trying(() -> set(setting, Objects.requireNonNull(value)), onFault) : this;
        }

        /** Reads a setting from a string whose placeholders have been resolved. A blank string sets nothing. */
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

        /** Copies the value of a setting from settings that contain it. */
        public <T> Builder copy(Setting<T> setting, RetrySettings settings) {
            return set(setting, Objects.requireNonNull(settings.get(setting)));
        }

        /** Adds a rule for an error. */
        public Builder onError(ErrorKey error, Consumer<Builder> rule) {
            Builder settings = builder();
            rule.accept(settings);
            return set(Setting.ERRORS, Map.of(error, settings.build()));
        }

        public RetrySettings build() {
            return new RetrySettings(
                    Collections.unmodifiableMap(new TreeMap<>(values)), SettingSource.CODE, List.of(), Map.of());
        }
    }
}

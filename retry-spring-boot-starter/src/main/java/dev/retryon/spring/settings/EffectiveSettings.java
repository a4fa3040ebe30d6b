/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import dev.retryon.RetryPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What holds for a method once all layers are merged, and who said it. Immutable.
 *
 * @since 0.1.0
 */
public final class EffectiveSettings {

    /** The source of what nobody said. */
    public static final String DEFAULT = "default";

    private static final List<String> DEFAULTS_ALONE = List.of(DEFAULT);

    private static final EffectiveSettings DEFAULTS = new EffectiveSettings(new EnumMap<>(SettingKey.class))
            .with(new RetryLayer(
                    DEFAULT,
                    RetrySettings.builder()
                            .maxAttempts(RetryPolicy.DEFAULT_MAX_ATTEMPTS)
                            .retryable(true)
                            .backoff("exponential")
                            .delay(RetryPolicy.DEFAULT_DELAY)
                            .multiplier(RetryPolicy.DEFAULT_MULTIPLIER)
                            .maxDelay(RetryPolicy.DEFAULT_MAX_DELAY)
                            .jitter(RetryPolicy.DEFAULT_JITTER)
                            .build()));

    private final Map<SettingKey, Value> values;

    private EffectiveSettings(Map<SettingKey, Value> values) {
        this.values = values;
    }

    /**
     * The built-in defaults.
     *
     * @return settings of which the source is {@value #DEFAULT}
     */
    public static EffectiveSettings defaults() {
        return DEFAULTS;
    }

    /**
     * Lays layers over these settings.
     *
     * @param layers the layers, the strongest last
     * @return the merged settings
     */
    public EffectiveSettings with(Collection<RetryLayer> layers) {
        EffectiveSettings merged = this;
        for (RetryLayer layer : layers) {
            merged = merged.with(layer);
        }
        return merged;
    }

    /**
     * Lays a layer over these settings: single values are replaced, lists add up.
     *
     * @param layer the stronger layer
     * @return the merged settings
     */
    public EffectiveSettings with(RetryLayer layer) {
        if (layer.settings().isEmpty()) {
            return this;
        }
        Map<SettingKey, Value> merged = new EnumMap<>(SettingKey.class);
        merged.putAll(values);
        for (Map.Entry<SettingKey, Object> said : layer.settings().values().entrySet()) {
            SettingKey key = said.getKey();
            Value weaker = merged.get(key);
            merged.put(
                    key,
                    key.addsUp() && weaker != null
                            ? weaker.plus((Set<?>) said.getValue(), layer.source())
                            : new Value(said.getValue(), List.of(layer.source())));
        }
        return new EffectiveSettings(merged);
    }

    /**
     * Everything that holds, with who said it.
     *
     * @return in the order of {@link SettingKey}; keys about which nothing holds are missing
     */
    public Map<SettingKey, Value> values() {
        return Collections.unmodifiableMap(values);
    }

    /**
     * One value.
     *
     * @param <T> its type
     * @param key what it is about
     * @param type its type
     * @return the value, or {@code null} if there is none
     */
    public <T> @Nullable T get(SettingKey key, Class<T> type) {
        Value value = values.get(key);
        return value == null ? null : type.cast(value.value());
    }

    /**
     * Who said it.
     *
     * @param key what it is about
     * @return the places, joined; {@value #DEFAULT} if nobody said anything
     */
    public String source(SettingKey key) {
        Value value = values.get(key);
        return value == null ? DEFAULT : value.source();
    }

    /**
     * Where to look in order to change it.
     *
     * @param key what it is about
     * @return the property or the annotation; {@value #DEFAULT} if nobody said anything
     */
    public String place(SettingKey key) {
        String source = source(key);
        return source.startsWith("retryon.") ? source + "." + key.property() : source;
    }

    /**
     * Whether some layer said it, other than the built-in defaults.
     *
     * @param key what it is about
     * @return {@code true} if somebody said it
     */
    public boolean isSaid(SettingKey key) {
        Value value = values.get(key);
        return value != null && !value.sources().equals(DEFAULTS_ALONE);
    }

    /**
     * A value and who said it.
     *
     * @param value the value; a list is a set in the order in which it was said
     * @param sources the places, the weakest first; only a list can have several
     */
    public record Value(Object value, List<String> sources) {

        /**
         * Who said it, in one line.
         *
         * @return the places, joined
         */
        public String source() {
            return String.join(", ", sources);
        }

        private Value plus(Set<?> more, String source) {
            Set<Object> all = new LinkedHashSet<>((Set<?>) value);
            all.addAll(more);
            List<String> both = new ArrayList<>(sources);
            if (!both.contains(source)) {
                both.add(source);
            }
            return new Value(Collections.unmodifiableSet(all), List.copyOf(both));
        }
    }
}

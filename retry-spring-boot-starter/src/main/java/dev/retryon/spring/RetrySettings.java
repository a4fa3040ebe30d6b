// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.spring.internal.settings.Setting;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one layer. A setting that is not set is inherited from weaker layers. Immutable.
 *
 * <pre>{@code
 * RetrySettings settings =
 *     RetrySettings.builder().maxAttempts(5).delay(Duration.ofMillis(200)).build();
 * }</pre>
 *
 * @since 0.1.0
 */
public final class RetrySettings {

    /** A layer that sets nothing. */
    public static final RetrySettings NONE = builder().build();

    private final Map<Setting<?>, Object> values;

    RetrySettings(Map<Setting<?>, Object> values) {
        this.values = values;
    }

    /**
     * Creates a builder that sets nothing.
     *
     * @return a new builder
     */
    public static RetrySettingsBuilder builder() {
        return new RetrySettingsBuilder();
    }

    /**
     * Returns the settings that this layer sets.
     *
     * @return an unmodifiable map of values by setting
     */
    public Map<Setting<?>, Object> values() {
        return values;
    }

    /**
     * Returns the value of a setting.
     *
     * @param <T> its type
     * @param setting the setting
     * @return the value, or {@code null} if this layer does not set it
     */
    public <T> @Nullable T get(Setting<T> setting) {
        Object value = values.get(setting);
        return value == null ? null : setting.cast(value);
    }

    /**
     * Returns whether this layer sets nothing.
     *
     * @return {@code true} if no setting is set
     */
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /**
     * Merges stronger settings into these settings. Single values are replaced, and lists add up.
     *
     * @param stronger the stronger settings
     * @return the merged settings
     */
    public RetrySettings and(RetrySettings stronger) {
        RetrySettingsBuilder both = new RetrySettingsBuilder();
        values.keySet().forEach(setting -> both.copy(setting, this));
        stronger.values.keySet().forEach(setting -> both.copy(setting, stronger));
        return both.build();
    }

    /**
     * Returns the settings as they are written in properties, such as {@code delay=500ms}.
     *
     * @return texts by attribute
     */
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

    /** Returns the settings as {@link #texts} does. */
    @Override
    public String toString() {
        return texts().toString();
    }
}

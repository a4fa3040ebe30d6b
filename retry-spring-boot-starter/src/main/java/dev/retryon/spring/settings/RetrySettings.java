/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import dev.retryon.OnExhaustion;
import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one layer, which has no opinion on those it does not set. Immutable.
 *
 * @since 0.1.0
 */
public final class RetrySettings {

    /** Settings of which none is set. */
    public static final RetrySettings NONE = builder().build();

    private final Map<Setting<?>, Object> values;

    private RetrySettings(Map<Setting<?>, Object> values) {
        this.values = values;
    }

    /**
     * Starts with nothing set.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The settings that this layer sets.
     *
     * @return an unmodifiable map of those and no others
     */
    public Map<Setting<?>, Object> values() {
        return values;
    }

    /**
     * The value of a setting.
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
     * Whether this layer sets nothing.
     *
     * @return {@code true} if no setting is set
     */
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /**
     * Lays other settings over these.
     *
     * @param stronger the stronger settings
     * @return these settings with the others' single values in place of their own, and lists added up
     */
    public RetrySettings and(RetrySettings stronger) {
        Builder both = new Builder();
        values.keySet().forEach(setting -> both.copy(setting, this));
        stronger.values.keySet().forEach(setting -> both.copy(setting, stronger));
        return both.build();
    }

    /**
     * The settings as they are written in properties, such as {@code delay=500ms}.
     *
     * @return texts by attribute
     */
    public Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((setting, value) -> texts.put(setting.attribute(), SettingType.print(value)));
        return texts;
    }

    /** Collects settings; each setter rejects a bad value at once. Not thread-safe. */
    public static final class Builder {

        private final Map<Setting<?>, Object> values = new TreeMap<>();

        private Builder() {}

        /**
         * Adds exceptions to retry.
         *
         * @param types the types
         * @return this builder
         */
        @SafeVarargs
        @SuppressWarnings("varargs") // only read
        public final Builder exceptions(Class<? extends Throwable>... types) {
            return set(Setting.EXCEPTIONS, new LinkedHashSet<>(Arrays.asList(types)));
        }

        /**
         * Adds exceptions never to retry.
         *
         * @param types the types
         * @return this builder
         */
        @SafeVarargs
        @SuppressWarnings("varargs") // only read
        public final Builder excludes(Class<? extends Throwable>... types) {
            return set(Setting.EXCLUDES, new LinkedHashSet<>(Arrays.asList(types)));
        }

        /**
         * Adds error codes never to retry.
         *
         * @param patterns exact codes, or prefixes that end in {@code .*}
         * @return this builder
         */
        public Builder nonRetryableErrors(String... patterns) {
            return set(Setting.NON_RETRYABLE_ERRORS, new LinkedHashSet<>(Arrays.asList(patterns)));
        }

        /**
         * How many attempts there are at most, the first one included.
         *
         * @param maxAttempts at least 1
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxAttempts(int maxAttempts) {
            return set(Setting.MAX_ATTEMPTS, maxAttempts);
        }

        /**
         * Whether there are retries at all.
         *
         * @param retryable {@code false} to make every failure final
         * @return this builder
         */
        public Builder retryable(boolean retryable) {
            return set(Setting.RETRYABLE, retryable);
        }

        /**
         * How delays grow.
         *
         * @param name a built-in strategy, a bean or a method of the bean that is called
         * @return this builder
         */
        public Builder backoff(String name) {
            return set(Setting.BACKOFF, name);
        }

        /**
         * The base delay.
         *
         * @param delay zero or more
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder delay(Duration delay) {
            return set(Setting.DELAY, delay);
        }

        /**
         * The multiplier of the backoff.
         *
         * @param multiplier at least 1.0
         * @return this builder
         * @throws IllegalArgumentException if below 1 or not finite
         */
        public Builder multiplier(double multiplier) {
            return set(Setting.MULTIPLIER, multiplier);
        }

        /**
         * The cap on every delay.
         *
         * @param maxDelay zero or more
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxDelay(Duration maxDelay) {
            return set(Setting.MAX_DELAY, maxDelay);
        }

        /**
         * How delays are spread.
         *
         * @param jitter the jitter
         * @return this builder
         */
        public Builder jitter(Jitter jitter) {
            return set(Setting.JITTER, jitter);
        }

        /**
         * The limit for all attempts and waits together.
         *
         * @param timeout zero is none
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder timeout(Duration timeout) {
            return set(Setting.TIMEOUT, timeout);
        }

        /**
         * The limit for one attempt.
         *
         * @param attemptTimeout zero is none
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder attemptTimeout(Duration attemptTimeout) {
            return set(Setting.ATTEMPT_TIMEOUT, attemptTimeout);
        }

        /**
         * The retry budget.
         *
         * @param name one of {@code retryon.budgets}
         * @return this builder
         */
        public Builder budget(String name) {
            return set(Setting.BUDGET, name);
        }

        /**
         * A gate that must be true for a failure to be retried.
         *
         * @param expression SpEL
         * @return this builder
         */
        public Builder onlyIf(String expression) {
            return set(Setting.ONLY_IF, expression);
        }

        /**
         * A gate that must not be true for a failure to be retried.
         *
         * @param expression SpEL
         * @return this builder
         */
        public Builder unless(String expression) {
            return set(Setting.UNLESS, expression);
        }

        /**
         * Which returned values are failures.
         *
         * @param expression SpEL over {@code #result}
         * @return this builder
         */
        public Builder retryIf(String expression) {
            return set(Setting.RETRY_IF, expression);
        }

        /**
         * What becomes of calls that have failed for good.
         *
         * @param onExhaustion {@link OnExhaustion#RETHROW} or {@link OnExhaustion#DEAD_LETTER}
         * @return this builder
         */
        public Builder onExhaustion(OnExhaustion onExhaustion) {
            return set(Setting.ON_EXHAUSTION, onExhaustion);
        }

        /**
         * The method that serves the caller of a call that ended in failure.
         *
         * @param method {@code method} or {@code bean#method}
         * @return this builder
         */
        public Builder recover(String method) {
            return set(Setting.RECOVER, method);
        }

        /**
         * Adds exceptions that are not retried but recovered.
         *
         * @param types the types
         * @return this builder
         */
        @SafeVarargs
        @SuppressWarnings("varargs") // only read
        public final Builder recoverOn(Class<? extends Throwable>... types) {
            return set(Setting.RECOVER_ON, new LinkedHashSet<>(Arrays.asList(types)));
        }

        /**
         * Adds listeners. A bean that is named anywhere receives from then on only the events of calls that name it.
         *
         * @param beans names of {@link dev.retryon.RetryListener} beans
         * @return this builder
         */
        public Builder listeners(String... beans) {
            return set(Setting.LISTENERS, new LinkedHashSet<>(Arrays.asList(beans)));
        }

        /**
         * Sets any setting.
         *
         * @param <T> its type
         * @param setting the setting
         * @param value the value; a list is added to what is there
         * @return this builder
         * @throws IllegalArgumentException with a sentence that says what is allowed
         */
        public <T> Builder set(Setting<T> setting, T value) {
            T checked = setting.check(value);
            Object before = values.get(setting);
            values.put(setting, setting.merge(before == null ? null : setting.cast(before), checked));
            return this;
        }

        /**
         * Sets a value that may be missing or wrong.
         *
         * @param <T> the type of the setting
         * @param setting the setting
         * @param value the value; {@code null} or an empty list sets nothing
         * @param onFault takes a sentence that says what is wrong
         * @return this builder
         */
        public <T> Builder accept(Setting<T> setting, @Nullable T value, Consumer<String> onFault) {
            boolean isSet = value != null && !(value instanceof Collection<?> items && items.isEmpty());
            return isSet ? trying(() -> set(setting, Objects.requireNonNull(value)), onFault) : this;
        }

        /**
         * Sets a setting from text.
         *
         * @param <T> the type of the setting
         * @param setting the setting
         * @param text the text, placeholders resolved; blank sets nothing
         * @param onFault takes a sentence that says what is wrong
         * @return this builder
         */
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

        /**
         * Takes over a value.
         *
         * @param <T> its type
         * @param setting the setting
         * @param settings what sets it
         * @return this builder
         */
        public <T> Builder copy(Setting<T> setting, RetrySettings settings) {
            return set(setting, Objects.requireNonNull(settings.get(setting)));
        }

        /**
         * Builds the layer's settings.
         *
         * @return the settings
         */
        public RetrySettings build() {
            return new RetrySettings(Collections.unmodifiableMap(new TreeMap<>(values)));
        }
    }
}

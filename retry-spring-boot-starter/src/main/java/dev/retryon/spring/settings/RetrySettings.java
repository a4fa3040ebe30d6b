/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one layer says: some settings, and nothing of the others. Immutable.
 *
 * @since 0.1.0
 */
public final class RetrySettings {

    private final Map<SettingKey, Object> values;

    private RetrySettings(Map<SettingKey, Object> values) {
        this.values = values;
    }

    /**
     * Starts with nothing said.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * What this layer says.
     *
     * @return an unmodifiable map of what is said and nothing else
     */
    public Map<SettingKey, Object> values() {
        return values;
    }

    /**
     * Whether nothing is said.
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
        values.forEach(both::put);
        stronger.values.forEach(both::put);
        return both.build();
    }

    /** Collects settings; each setter rejects a bad value at once. Not thread-safe. */
    public static final class Builder {

        private final Map<SettingKey, Object> values = new EnumMap<>(SettingKey.class);

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
            return addAll(SettingKey.EXCEPTIONS, types);
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
            return addAll(SettingKey.EXCLUDES, types);
        }

        /**
         * Adds error codes never to retry.
         *
         * @param patterns exact codes, or prefixes that end in {@code .*}
         * @return this builder
         */
        public Builder nonRetryableErrors(String... patterns) {
            return addAll(SettingKey.NON_RETRYABLE_ERRORS, patterns);
        }

        /**
         * How many attempts there are at most, the first one included.
         *
         * @param maxAttempts at least 1
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxAttempts(int maxAttempts) {
            return set(SettingKey.MAX_ATTEMPTS, maxAttempts);
        }

        /**
         * Whether there are retries at all.
         *
         * @param retryable {@code false} to make every failure final
         * @return this builder
         */
        public Builder retryable(boolean retryable) {
            return set(SettingKey.RETRYABLE, retryable);
        }

        /**
         * How delays grow.
         *
         * @param name a built-in strategy, a bean or a method of the bean that is called
         * @return this builder
         */
        public Builder backoff(String name) {
            return set(SettingKey.BACKOFF, name);
        }

        /**
         * The base delay.
         *
         * @param delay zero or more
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder delay(Duration delay) {
            return set(SettingKey.DELAY, delay);
        }

        /**
         * The multiplier of the backoff.
         *
         * @param multiplier at least 1.0
         * @return this builder
         * @throws IllegalArgumentException if below 1 or not finite
         */
        public Builder multiplier(double multiplier) {
            return set(SettingKey.MULTIPLIER, multiplier);
        }

        /**
         * The cap on every delay.
         *
         * @param maxDelay zero or more
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxDelay(Duration maxDelay) {
            return set(SettingKey.MAX_DELAY, maxDelay);
        }

        /**
         * How delays are spread.
         *
         * @param jitter the jitter
         * @return this builder
         */
        public Builder jitter(Jitter jitter) {
            return set(SettingKey.JITTER, jitter);
        }

        /**
         * The limit for all attempts and waits together.
         *
         * @param timeout zero is none
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder timeout(Duration timeout) {
            return set(SettingKey.TIMEOUT, timeout);
        }

        /**
         * The limit for one attempt.
         *
         * @param attemptTimeout zero is none
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder attemptTimeout(Duration attemptTimeout) {
            return set(SettingKey.ATTEMPT_TIMEOUT, attemptTimeout);
        }

        /**
         * The retry budget.
         *
         * @param name one of {@code retryon.budgets}
         * @return this builder
         */
        public Builder budget(String name) {
            return set(SettingKey.BUDGET, name);
        }

        /**
         * A gate that must be true for a failure to be retried.
         *
         * @param expression SpEL
         * @return this builder
         */
        public Builder onlyIf(String expression) {
            return set(SettingKey.ONLY_IF, expression);
        }

        /**
         * A gate that must not be true for a failure to be retried.
         *
         * @param expression SpEL
         * @return this builder
         */
        public Builder unless(String expression) {
            return set(SettingKey.UNLESS, expression);
        }

        /**
         * Which returned values are failures.
         *
         * @param expression SpEL over {@code #result}
         * @return this builder
         */
        public Builder retryIf(String expression) {
            return set(SettingKey.RETRY_IF, expression);
        }

        /**
         * The method that serves the caller of a call that ended in failure.
         *
         * @param method {@code method} or {@code bean#method}
         * @return this builder
         */
        public Builder recover(String method) {
            return set(SettingKey.RECOVER, method);
        }

        /**
         * Says something that may be wrong or not said at all.
         *
         * @param key what it is about
         * @param value the value; {@code null} or an empty collection says nothing
         * @param onFault takes a sentence that says what is wrong
         * @return this builder
         */
        public Builder accept(SettingKey key, @Nullable Object value, Consumer<String> onFault) {
            try {
                if (value instanceof Collection<?> items) {
                    add(key, items);
                } else if (value != null) {
                    set(key, value);
                }
            } catch (IllegalArgumentException ex) {
                onFault.accept(String.valueOf(ex.getMessage()));
            }
            return this;
        }

        /**
         * Says something that somebody wrote.
         *
         * @param key what it is about
         * @param text the text, placeholders resolved; empty says nothing
         * @param onFault takes a sentence that says what is wrong
         * @return this builder
         */
        public Builder read(SettingKey key, String text, Consumer<String> onFault) {
            if (text.isBlank()) {
                return this;
            }
            if (text.contains("${")) {
                onFault.accept(key.attribute() + " is '" + text + "', but no property resolves the placeholder in it");
                return this;
            }
            try {
                return set(key, key.parse(text));
            } catch (IllegalArgumentException ex) {
                onFault.accept(String.valueOf(ex.getMessage()));
                return this;
            }
        }

        private void put(SettingKey key, Object value) {
            if (value instanceof Set<?> items) {
                add(key, items);
            } else {
                set(key, value);
            }
        }

        private Builder set(SettingKey key, Object value) {
            values.put(key, key.check(Objects.requireNonNull(value, key.attribute())));
            return this;
        }

        private Builder addAll(SettingKey key, Object[] items) {
            return add(key, Arrays.asList(items));
        }

        private Builder add(SettingKey key, Collection<?> items) {
            if (!items.isEmpty()) {
                Set<Object> all = new LinkedHashSet<>();
                if (values.get(key) instanceof Set<?> before) {
                    all.addAll(before);
                }
                all.addAll(items);
                values.put(key, key.check(all));
            }
            return this;
        }

        /**
         * Builds the layer's settings.
         *
         * @return the settings
         */
        public RetrySettings build() {
            return new RetrySettings(Collections.unmodifiableMap(new EnumMap<>(values)));
        }
    }
}

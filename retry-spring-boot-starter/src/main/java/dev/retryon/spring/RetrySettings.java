/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import dev.retryon.ExhaustionAction;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.internal.settings.Setting;
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

    private RetrySettings(Map<Setting<?>, Object> values) {
        this.values = values;
    }

    /**
     * Creates a builder that sets nothing.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
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
        Builder both = new Builder();
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

    /** Collects settings; each setter rejects a bad value at once. Not thread-safe. */
    @SuppressWarnings("varargs") // arrays are only read
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
         * Sets other settings for errors of a type, for which calls are retried even if they are not listed. A rule that
         * exists for the type is merged with this one.
         *
         * @param type the type; its subclasses are included
         * @param rule sets {@code maxAttempts}, {@code backoff}, {@code delay}, {@code multiplier}, {@code maxDelay},
         *     {@code jitter} or {@code budgetCost}
         * @return this builder
         * @throws IllegalArgumentException if the rule has another setting
         * @see OnError
         */
        public Builder onError(Class<? extends Throwable> type, Consumer<Builder> rule) {
            return rule(ErrorKey.of(type), rule);
        }

        /**
         * Sets other settings for errors with a code, see {@link #onError}.
         *
         * @param code an exact code, or a prefix that ends in {@code *}
         * @param rule sets the settings of the rule
         * @return this builder
         * @throws IllegalArgumentException if the code is blank or the rule has a setting that no rule can have
         */
        public Builder onErrorCode(String code, Consumer<Builder> rule) {
            return rule(ErrorKey.ofCode(code), rule);
        }

        private Builder rule(ErrorKey error, Consumer<Builder> rule) {
            Builder settings = new Builder();
            rule.accept(settings);
            return set(Setting.ERRORS, Map.of(error, settings.build()));
        }

        /**
         * Sets the maximum number of attempts, including the first one. Default 3.
         *
         * @param maxAttempts at least 1; 0 counts as 1
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxAttempts(int maxAttempts) {
            return set(Setting.MAX_ATTEMPTS, maxAttempts);
        }

        /**
         * Sets whether to retry at all. Default {@code true}.
         *
         * @param retryable {@code false} to make every failure final
         * @return this builder
         */
        public Builder retryable(boolean retryable) {
            return set(Setting.RETRYABLE, retryable);
        }

        /**
         * Sets how delays grow. Default {@code exponential}.
         *
         * @param name a built-in strategy, a bean or a method of the called bean; see {@link RetryOn#backoff()}
         * @return this builder
         */
        public Builder backoff(String name) {
            return set(Setting.BACKOFF, name);
        }

        /**
         * Sets the base delay. Default 1 second.
         *
         * @param delay zero or more
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder delay(Duration delay) {
            return set(Setting.DELAY, delay);
        }

        /**
         * Sets the factor of exponential backoff and the exponent of polynomial backoff. Default 2.0.
         *
         * @param multiplier at least 1.0
         * @return this builder
         * @throws IllegalArgumentException if below 1 or not finite
         */
        public Builder multiplier(double multiplier) {
            return set(Setting.MULTIPLIER, multiplier);
        }

        /**
         * Sets the maximum delay. Default 5 minutes, or the base delay if that is longer.
         *
         * @param maxDelay at least the base delay
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxDelay(Duration maxDelay) {
            return set(Setting.MAX_DELAY, maxDelay);
        }

        /**
         * Sets how delays are spread. Default 50 %.
         *
         * @param jitter the jitter
         * @return this builder
         */
        public Builder jitter(Jitter jitter) {
            return set(Setting.JITTER, jitter);
        }

        /**
         * Sets the time limit for all attempts and waits together. Default: no limit.
         *
         * @param timeout zero means no limit
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder timeout(Duration timeout) {
            return set(Setting.TIMEOUT, timeout);
        }

        /**
         * Sets the time limit for one attempt. Default: no limit.
         *
         * @param attemptTimeout zero means no limit
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder attemptTimeout(Duration attemptTimeout) {
            return set(Setting.ATTEMPT_TIMEOUT, attemptTimeout);
        }

        /**
         * Sets how many tokens of the budget a retry takes. Default 1.
         *
         * @param budgetCost finite, zero or more
         * @return this builder
         * @throws IllegalArgumentException if negative or not finite
         */
        public Builder budgetCost(double budgetCost) {
            return set(Setting.BUDGET_COST, budgetCost);
        }

        /**
         * Sets the retry budget. Default: no budget.
         *
         * @param name {@code default} or the name of a budget in {@code retryon.budgets}
         * @return this builder
         */
        public Builder budget(String name) {
            return set(Setting.BUDGET, name);
        }

        /**
         * Sets the key that divides the budget. Default: the budget is not divided.
         *
         * @param expression SpEL over the arguments
         * @return this builder
         * @see RetryOn#budgetKey()
         */
        public Builder budgetKey(String expression) {
            return set(Setting.BUDGET_KEY, expression);
        }

        /**
         * Sets a gate that must be true for a failure to be retried.
         *
         * @param expression SpEL
         * @return this builder
         */
        public Builder onlyIf(String expression) {
            return set(Setting.ONLY_IF, expression);
        }

        /**
         * Sets a gate that must not be true for a failure to be retried.
         *
         * @param expression SpEL
         * @return this builder
         */
        public Builder unless(String expression) {
            return set(Setting.UNLESS, expression);
        }

        /**
         * Sets which returned values count as failures.
         *
         * @param expression SpEL over {@code #result}
         * @return this builder
         */
        public Builder retryIf(String expression) {
            return set(Setting.RETRY_IF, expression);
        }

        /**
         * Sets what to do when all retries have failed. A dead letter needs the module {@code retry-durable}.
         *
         * @param onExhaustion {@link ExhaustionAction#RETHROW} or {@link ExhaustionAction#DEAD_LETTER}
         * @return this builder
         */
        public Builder onExhaustion(ExhaustionAction onExhaustion) {
            return set(Setting.ON_EXHAUSTION, onExhaustion);
        }

        /**
         * Sets the recovery method to call instead of throwing.
         *
         * @param method {@code method} or {@code bean#method}
         * @return this builder
         */
        public Builder recover(String method) {
            return set(Setting.RECOVER, method);
        }

        /**
         * Sets the method to call after each wait and before the next attempt.
         *
         * @param method {@code method} or {@code bean#method}
         * @return this builder
         */
        public Builder beforeRetry(String method) {
            return set(Setting.BEFORE_RETRY, method);
        }

        /**
         * Adds exceptions that the recovery method handles although they are not retried.
         *
         * @param types the types
         * @return this builder
         */
        @SafeVarargs
        public final Builder recoverOn(Class<? extends Throwable>... types) {
            return set(Setting.RECOVER_ON, new LinkedHashSet<>(Arrays.asList(types)));
        }

        /**
         * Adds listeners. A listener that any method or call names receives only the events of calls that name it.
         *
         * @param beans names of {@link dev.retryon.RetryListener} beans
         * @return this builder
         */
        public Builder listeners(String... beans) {
            return set(Setting.LISTENERS, new LinkedHashSet<>(Arrays.asList(beans)));
        }

        /**
         * Sets a setting.
         *
         * @param <T> its type
         * @param setting the setting
         * @param value the value; the items of a list are added
         * @return this builder
         * @throws IllegalArgumentException if the value is not allowed; the message states the rule
         */
        public <T> Builder set(Setting<T> setting, T value) {
            Object before = values.get(setting);
            values.put(setting, setting.merge(before == null ? null : setting.cast(before), setting.check(value)));
            return this;
        }

        /**
         * Sets a value that can be missing or wrong.
         *
         * @param <T> the type of the setting
         * @param setting the setting
         * @param value the value; {@code null} or an empty list sets nothing
         * @param onFault receives a sentence that describes the fault
         * @return this builder
         */
        public <T> Builder accept(Setting<T> setting, @Nullable T value, Consumer<String> onFault) {
            boolean isSet = value != null
                    && !(value instanceof Collection<?> items && items.isEmpty())
                    && !(value instanceof Map<?, ?> entries && entries.isEmpty());
            return isSet ? trying(() -> set(setting, Objects.requireNonNull(value)), onFault) : this;
        }

        /**
         * Sets a setting from text.
         *
         * @param <T> the type of the setting
         * @param setting the setting
         * @param text the text with resolved placeholders; a blank text sets nothing
         * @param onFault receives a sentence that describes the fault
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
         * Copies a value.
         *
         * @param <T> its type
         * @param setting the setting
         * @param settings the settings that have the value
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

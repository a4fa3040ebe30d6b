/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.ExhaustionAction;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.RetrySettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A setting that annotations, properties and calls can have: its name, how it is read, checked, printed and merged, its
 * default, and how a policy takes it. The constants are the one list of all settings, in the order in which they are
 * shown.
 *
 * @param <T> the type of its values
 */
public final class Setting<T> implements Comparable<Setting<?>> {

    /** The allowed values for a number of attempts. */
    public static final String RULE_OF_ATTEMPTS =
            "a whole number of at least 1, or " + Integer.MAX_VALUE + " for attempts without end";

    /** The allowed values for a multiplier. */
    public static final String RULE_OF_MULTIPLIERS = "a number of at least 1.0";

    /** The lane of methods that name none. */
    public static final String DEFAULT_LANE = "default";

    private static final List<Setting<?>> ALL = new ArrayList<>();

    /** Error types to retry; layers add up. */
    public static final Setting<Set<Class<? extends Throwable>>> EXCEPTIONS = new Setting<>(
            "exceptions", SettingType.errorTypes(), null, (policy, types) -> types.forEach(policy::retryOn));

    /** Error types never to retry; layers add up. */
    public static final Setting<Set<Class<? extends Throwable>>> EXCLUDES = new Setting<>(
            "excludes", SettingType.errorTypes(), null, (policy, types) -> types.forEach(policy::exclude));

    /** Error codes never to retry; layers add up. */
    public static final Setting<Set<String>> NON_RETRYABLE_ERRORS = new Setting<>(
            "nonRetryableErrors",
            SettingType.texts(),
            null,
            (policy, patterns) -> policy.nonRetryableErrors(patterns.toArray(String[]::new)));

    /** Rules for single errors; layers add up, rule by rule and setting by setting. */
    public static final Setting<Map<ErrorKey, RetrySettings>> ERRORS =
            new Setting<>("errors", SettingType.rules(), null, null);

    /** The largest number of attempts. */
    public static final Setting<Integer> MAX_ATTEMPTS = new Setting<>(
            "maxAttempts", SettingType.COUNT, RetryPolicy.DEFAULT_MAX_ATTEMPTS, RetryPolicyBuilder::maxAttempts);

    /** Whether there are retries at all. */
    public static final Setting<Boolean> RETRYABLE =
            new Setting<>("retryable", SettingType.FLAG, true, RetryPolicyBuilder::retryable);

    /** How delays grow. */
    public static final Setting<String> BACKOFF = new Setting<>("backoff", SettingType.BACKOFF, "exponential", null);

    /** The base delay. */
    public static final Setting<Duration> DELAY =
            new Setting<>("delay", SettingType.DURATION, RetryPolicy.DEFAULT_DELAY, RetryPolicyBuilder::delay);

    /** The multiplier of the backoff. */
    public static final Setting<Double> MULTIPLIER = new Setting<>(
            "multiplier", SettingType.FACTOR, RetryPolicy.DEFAULT_MULTIPLIER, RetryPolicyBuilder::multiplier);

    /** The cap on every delay. */
    public static final Setting<Duration> MAX_DELAY = new Setting<>(
            "maxDelay", SettingType.DURATION, RetryPolicy.DEFAULT_MAX_DELAY, RetryPolicyBuilder::maxDelay);

    /** How delays are spread. */
    public static final Setting<Jitter> JITTER =
            new Setting<>("jitter", SettingType.JITTER, RetryPolicy.DEFAULT_JITTER, RetryPolicyBuilder::jitter);

    /** The limit for all attempts and waits together. */
    public static final Setting<Duration> TIMEOUT =
            new Setting<>("timeout", SettingType.DURATION, null, RetryPolicyBuilder::timeout);

    /** The limit for one attempt. */
    public static final Setting<Duration> ATTEMPT_TIMEOUT =
            new Setting<>("attemptTimeout", SettingType.DURATION, null, RetryPolicyBuilder::attemptTimeout);

    /** A gate that must be true. */
    public static final Setting<String> ONLY_IF = new Setting<>("onlyIf", SettingType.TEXT, null, null);

    /** A gate that must not be true. */
    public static final Setting<String> UNLESS = new Setting<>("unless", SettingType.TEXT, null, null);

    /** The returned values that are failures. */
    public static final Setting<String> RETRY_IF = new Setting<>("retryIf", SettingType.TEXT, null, null);

    /** The retry budget. */
    public static final Setting<String> BUDGET = new Setting<>("budget", SettingType.TEXT, null, null);

    /** The key that divides the budget. */
    public static final Setting<String> BUDGET_KEY = new Setting<>("budgetKey", SettingType.TEXT, null, null);

    /** How many tokens of the budget a retry takes; by default one. */
    public static final Setting<Double> BUDGET_COST =
            new Setting<>("budgetCost", SettingType.COST, null, RetryPolicyBuilder::budgetCost);

    /** What to do when a call has failed for good. */
    public static final Setting<ExhaustionAction> ON_EXHAUSTION = new Setting<>(
            "onExhaustion", SettingType.ENDING, ExhaustionAction.RETHROW, RetryPolicyBuilder::onExhaustion);

    /** Whether calls survive the process; by default none does. */
    public static final Setting<StoringMode> DURABLE = new Setting<>("durable", SettingType.DURABILITY, null, null);

    /** The lane of stored calls; by default the default lane. */
    public static final Setting<String> LANE = new Setting<>("lane", SettingType.TEXT, null, null);

    /** The key of stored calls of which only one is kept; by default all are. */
    public static final Setting<String> UNIQUE_KEY = new Setting<>("uniqueKey", SettingType.TEXT, null, null);

    /** How long a call of the outbox waits before its first attempt; by default not at all. No policy has it. */
    public static final Setting<Duration> INITIAL_DELAY =
            new Setting<>("initialDelay", SettingType.DURATION, null, (policy, delay) -> {});

    /** The recovery method, which runs after a call has failed. */
    public static final Setting<String> RECOVER = new Setting<>("recover", SettingType.TEXT, null, null);

    /** The method that runs before each retry. */
    public static final Setting<String> BEFORE_RETRY = new Setting<>("beforeRetry", SettingType.TEXT, null, null);

    /** Error types that are not retried but recovered; layers add up. */
    public static final Setting<Set<Class<? extends Throwable>>> RECOVER_ON = new Setting<>(
            "recoverOn", SettingType.errorTypes(), null, (policy, types) -> types.forEach(policy::recoverOn));

    /** The listener beans of the method; layers add up. */
    public static final Setting<Set<String>> LISTENERS = new Setting<>("listeners", SettingType.texts(), null, null);

    /** Whether stored calls wait. Only operators set it, while the application runs, so it is not one of all settings. */
    public static final Setting<Boolean> PAUSED = new Setting<>("paused", SettingType.FLAG);

    private static final Set<Setting<String>> EXPRESSIONS =
            new TreeSet<>(List.of(ONLY_IF, UNLESS, RETRY_IF, BUDGET_KEY, UNIQUE_KEY));

    private static final Set<Setting<?>> PLAIN = Set.of(
            PAUSED,
            MAX_ATTEMPTS,
            RETRYABLE,
            DELAY,
            MULTIPLIER,
            MAX_DELAY,
            JITTER,
            TIMEOUT,
            ATTEMPT_TIMEOUT,
            BUDGET,
            BUDGET_COST,
            ON_EXHAUSTION,
            INITIAL_DELAY);

    private static final Set<Setting<?>> OF_RULES =
            new TreeSet<>(List.of(MAX_ATTEMPTS, BACKOFF, DELAY, MULTIPLIER, MAX_DELAY, JITTER, BUDGET_COST));

    private final int position;

    private final String attribute;

    private final SettingType<T> type;

    private final @Nullable T defaultValue;

    private final @Nullable BiConsumer<RetryPolicyBuilder, T> application;

    private Setting(
            String attribute,
            SettingType<T> type,
            @Nullable T defaultValue,
            @Nullable BiConsumer<RetryPolicyBuilder, T> application) {
        this.attribute = attribute;
        this.type = type;
        this.defaultValue = defaultValue;
        this.application = application;
        this.position = ALL.size();
        ALL.add(this);
    }

    private Setting(String attribute, SettingType<T> type) {
        this.attribute = attribute;
        this.type = type;
        this.defaultValue = null;
        this.application = null;
        this.position = Integer.MAX_VALUE;
    }

    /** The settings whose values are SpEL. */
    public static Set<Setting<String>> expressions() {
        return Collections.unmodifiableSet(EXPRESSIONS);
    }

    /** All settings, in the order in which they are shown. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL);
    }

    /**
     * Whether its values are numbers, times, and words that name no code. The values of others are types, expressions and names
     * of beans or methods, because the content of a database must not select code.
     */
    public boolean isPlain() {
        return PLAIN.contains(this);
    }

    /** The settings that a rule for an error can have. */
    public static Set<Setting<?>> ofRules() {
        return Collections.unmodifiableSet(OF_RULES);
    }

    /** The attribute's name in annotations and endpoints, such as {@code maxAttempts}. */
    public String attribute() {
        return attribute;
    }

    /** The property's name, such as {@code max-attempts}. */
    public String property() {
        return attribute.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** The built-in default; {@code null} if there is none. */
    public @Nullable T defaultValue() {
        return defaultValue;
    }

    /** Whether the values of several layers add up instead of replacing each other; {@code true} for lists and rules. */
    public boolean addsUp() {
        return type.addsUp();
    }

    /**
     * Whether the setting means something else for each method, as a gate or a recovery method does. Such a setting is applied by
     * who knows the method, not by {@link #apply}. Returns {@code false} if a policy takes the value as it is.
     */
    public boolean dependsOnMethod() {
        return application == null;
    }

    /**
     * Applies a value to a policy; does nothing if the setting {@linkplain #dependsOnMethod depends on the method}.
     *
     * @param policy takes the value
     * @param value the value
     */
    public void apply(RetryPolicyBuilder policy, T value) {
        if (application != null) {
            application.accept(policy, value);
        }
    }

    /**
     * Reads a text without placeholders.
     *
     * @param text the text
     * @return the value
     * @throws IllegalArgumentException if the value is not allowed; the message states the rule
     */
    public T parse(String text) {
        return check(type.parse(attribute, text.trim()));
    }

    /**
     * Checks a value.
     *
     * @param value the value
     * @return the value
     * @throws IllegalArgumentException if the value is not allowed; the message states the rule
     */
    public T check(T value) {
        type.check(attribute, Objects.requireNonNull(value, attribute));
        return value;
    }

    /**
     * Merges two values.
     *
     * @param weaker the value of the weaker layer, or {@code null}
     * @param stronger the value of the stronger layer
     * @return the value that applies
     */
    public T merge(@Nullable T weaker, T stronger) {
        return type.merge(weaker, stronger);
    }

    /**
     * Returns a value as one of this setting. Maps from settings to values have only pairs that fit.
     *
     * @param value the value
     * @return the same value
     */
    @SuppressWarnings("unchecked")
    public T cast(Object value) {
        return (T) value;
    }

    @Override
    public int compareTo(Setting<?> other) {
        return Integer.compare(position, other.position);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return position;
    }

    /**
     * Explains why a text still has a placeholder.
     *
     * @param text the text
     * @return a clause that begins with "is" and quotes the text
     */
    public static String unresolved(String text) {
        return "is '" + text + "', but "
                + (text.indexOf('}', text.indexOf("${")) < 0
                        ? "its placeholder does not end with }"
                        : "no property resolves the placeholder in it");
    }

    @Override
    public String toString() {
        return attribute;
    }

    /**
     * Prints a value as users write it.
     *
     * @param value the value of any setting
     * @return for example {@code dead-letter} or {@code 1ms}
     */
    public static String print(Object value) {
        return SettingType.print(value);
    }
}

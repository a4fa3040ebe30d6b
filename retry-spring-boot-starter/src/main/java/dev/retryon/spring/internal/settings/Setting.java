// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.ExhaustionAction;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A setting that annotations, properties and calls can have: its name, how it is read, checked, printed and merged, its
 * default, and how a policy takes it. The constants are the one list of all settings, in the order in which they are
 * shown.
 *
 * @param <T> the type of its values
 */
public final class Setting<T> implements Comparable<Setting<?>> {

    public static final String RULE_OF_ATTEMPTS =
            "a whole number of at least 1, or " + Integer.MAX_VALUE + " for attempts without end";

    public static final String RULE_OF_MULTIPLIERS = "a number of at least 1.0";

    public static final String DEFAULT_LANE = "default";

    private static final List<Setting<?>> ALL = new ArrayList<>();

    public static final Setting<Set<Class<? extends Throwable>>> EXCEPTIONS = new Setting<>(
            "exceptions",
            SettingType.errorTypes(),
            null,
            (policy, types) -> types.forEach(policy::retryOn),
            RetryPolicy::exceptions);

    public static final Setting<Set<Class<? extends Throwable>>> EXCLUDES = new Setting<>(
            "excludes",
            SettingType.errorTypes(),
            null,
            (policy, types) -> types.forEach(policy::excludes),
            RetryPolicy::excludes);

    public static final Setting<Set<String>> NON_RETRYABLE_ERRORS = new Setting<>(
            "nonRetryableErrors",
            SettingType.texts(),
            null,
            (policy, patterns) -> policy.nonRetryableErrors(patterns.toArray(String[]::new)),
            RetryPolicy::nonRetryableErrors);

    /** Layers add up, rule by rule and setting by setting. */
    public static final Setting<Map<ErrorKey, RetrySettings>> ERRORS = new Setting<>("errors", SettingType.rules());

    public static final Setting<Integer> MAX_ATTEMPTS = new Setting<>(
            "maxAttempts",
            SettingType.COUNT,
            RetryPolicy.DEFAULT_MAX_ATTEMPTS,
            RetryPolicyBuilder::maxAttempts,
            RetryPolicy::maxAttempts);

    public static final Setting<Boolean> RETRYABLE =
            new Setting<>("retryable", SettingType.FLAG, true, RetryPolicyBuilder::retryable, RetryPolicy::retryable);

    public static final Setting<String> BACKOFF =
            new Setting<>("backoff", SettingType.BACKOFF, "exponential", null, Setting::backoff);

    public static final Setting<Duration> DELAY = new Setting<>(
            "delay", SettingType.DURATION, RetryPolicy.DEFAULT_DELAY, RetryPolicyBuilder::delay, RetryPolicy::delay);

    public static final Setting<Double> MULTIPLIER = new Setting<>(
            "multiplier",
            SettingType.FACTOR,
            RetryPolicy.DEFAULT_MULTIPLIER,
            RetryPolicyBuilder::multiplier,
            RetryPolicy::multiplier);

    public static final Setting<Duration> MAX_DELAY = new Setting<>(
            "maxDelay",
            SettingType.DURATION,
            RetryPolicy.DEFAULT_MAX_DELAY,
            RetryPolicyBuilder::maxDelay,
            RetryPolicy::maxDelay);

    public static final Setting<Jitter> JITTER = new Setting<>(
            "jitter", SettingType.JITTER, RetryPolicy.DEFAULT_JITTER, RetryPolicyBuilder::jitter, RetryPolicy::jitter);

    public static final Setting<Duration> TIMEOUT =
            new Setting<>("timeout", SettingType.DURATION, null, RetryPolicyBuilder::timeout, RetryPolicy::timeout);

    public static final Setting<Duration> ATTEMPT_TIMEOUT = new Setting<>(
            "attemptTimeout",
            SettingType.DURATION,
            null,
            RetryPolicyBuilder::attemptTimeout,
            RetryPolicy::attemptTimeout);

    public static final Setting<String> ONLY_IF = new Setting<>("onlyIf", SettingType.TEXT);

    public static final Setting<String> UNLESS = new Setting<>("unless", SettingType.TEXT);

    public static final Setting<String> RETRY_IF = new Setting<>("retryIf", SettingType.TEXT);

    public static final Setting<String> BUDGET = new Setting<>("budget", SettingType.TEXT);

    public static final Setting<String> BUDGET_KEY = new Setting<>("budgetKey", SettingType.TEXT);

    public static final Setting<Double> BUDGET_COST = new Setting<>(
            "budgetCost", SettingType.COST, null, RetryPolicyBuilder::budgetCost, RetryPolicy::budgetCost);

    public static final Setting<ExhaustionAction> ON_EXHAUSTION = new Setting<>(
            "onExhaustion",
            SettingType.ENDING,
            ExhaustionAction.RETHROW,
            RetryPolicyBuilder::onExhaustion,
            RetryPolicy::onExhaustion);

    public static final Setting<StoringMode> DURABLE = new Setting<>("durable", SettingType.DURABILITY);

    public static final Setting<String> LANE = new Setting<>("lane", SettingType.TEXT);

    public static final Setting<String> UNIQUE_KEY = new Setting<>("uniqueKey", SettingType.TEXT);

    /** Not part of a policy. */
    public static final Setting<Duration> INITIAL_DELAY =
            new Setting<>("initialDelay", SettingType.DURATION, null, (policy, delay) -> {}, policy -> null);

    public static final Setting<String> RECOVER = new Setting<>("recover", SettingType.TEXT);

    public static final Setting<String> BEFORE_RETRY = new Setting<>("beforeRetry", SettingType.TEXT);

    public static final Setting<Set<Class<? extends Throwable>>> RECOVER_ON = new Setting<>(
            "recoverOn",
            SettingType.errorTypes(),
            null,
            (policy, types) -> types.forEach(policy::recoverOn),
            RetryPolicy::recoverOn);

    /** Whether stored calls wait. Only operators set it at run time, so it is the last one and not in {@link #all()}. */
    public static final Setting<Boolean> PAUSED = new Setting<>("paused", SettingType.FLAG);

    private static final Set<Setting<String>> EXPRESSIONS =
            new TreeSet<>(List.of(ONLY_IF, UNLESS, RETRY_IF, BUDGET_KEY, UNIQUE_KEY));

    private static final Set<Setting<?>> OF_RULES =
            new TreeSet<>(List.of(MAX_ATTEMPTS, BACKOFF, DELAY, MULTIPLIER, MAX_DELAY, JITTER, BUDGET_COST));

    private final int position;

    private final String attribute;

    private final SettingType<T> type;

    private final @Nullable T defaultValue;

    private final String property;

    private final @Nullable BiConsumer<RetryPolicyBuilder, T> application;

    private final Function<RetryPolicy, @Nullable T> reading;

    private Setting(
            String attribute,
            SettingType<T> type,
            @Nullable T defaultValue,
            @Nullable BiConsumer<RetryPolicyBuilder, T> application,
            Function<RetryPolicy, @Nullable T> reading) {
        this.attribute = attribute;
        this.property = attribute.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        this.type = type;
        this.defaultValue = defaultValue;
        this.application = application;
        this.reading = reading;
        this.position = ALL.size();
        ALL.add(this);
    }

    /** A setting that a policy does not have. */
    private Setting(String attribute, SettingType<T> type) {
        this(attribute, type, null, null, policy -> null);
    }

    /** The settings whose values are SpEL. */
    public static Set<Setting<String>> expressions() {
        return Collections.unmodifiableSet(EXPRESSIONS);
    }

    /** In the order in which they are shown. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL.subList(0, PAUSED.position));
    }

    /**
     * Whether its values are numbers, times, and words that name no code. Other values name types, beans or methods or
     * are expressions: the content of a database must not select code.
     */
    public boolean isPlain() {
        return type.isPlain() || equals(BUDGET);
    }

    /** The settings that a rule for an error can have. */
    public static Set<Setting<?>> ofRules() {
        return Collections.unmodifiableSet(OF_RULES);
    }

    /** The name in annotations and endpoints, such as {@code maxAttempts}. */
    public String attribute() {
        return attribute;
    }

    /** The name in properties, such as {@code max-attempts}. */
    public String property() {
        return property;
    }

    public @Nullable T defaultValue() {
        return defaultValue;
    }

    /** Whether the values of several layers add up instead of replacing each other, as lists and rules do. */
    public boolean addsUp() {
        return type.addsUp();
    }

    /**
     * Whether the setting means something else for each method, as a gate or a recovery method does. {@link #apply}
     * ignores it.
     */
    public boolean dependsOnMethod() {
        return application == null;
    }

    public void apply(RetryPolicyBuilder policy, T value) {
        if (application != null) {
            application.accept(policy, value);
        }
    }

    /** Returns the value of a policy that was built in code; {@code null} if it has none or the value exists only as code. */
    @Nullable T of(RetryPolicy policy) {
        return reading.apply(policy);
    }

    /** The text of another strategy can fail, or be different each time, so its class is shown. */
    private static String backoff(RetryPolicy policy) {
        return policy.backoff() instanceof Backoff builtIn
                ? builtIn.toString()
                : policy.backoff().getClass().getName();
    }

    /** Reads a text without placeholders. Throws IllegalArgumentException with a message that states the rule. */
    public T parse(String text) {
        return check(type.parse(attribute, text.trim()));
    }

    /** Returns the value. Throws IllegalArgumentException with a message that states the rule. */
    public T check(T value) {
        type.check(attribute, Objects.requireNonNull(value, attribute));
        return value;
    }

    public T merge(@Nullable T weaker, T stronger) {
        return type.merge(weaker, stronger);
    }

    /** Maps from settings to values have only pairs that fit. */
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

    /** Explains why a text still has a placeholder: a clause that begins with "is". */
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

    /** Prints a value as users write it, for example {@code dead-letter} or {@code 1ms}. */
    public static String print(Object value) {
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        return value instanceof Duration duration ? DurationText.print(duration) : String.valueOf(value);
    }
}

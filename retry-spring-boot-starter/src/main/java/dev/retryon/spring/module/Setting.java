// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.internal.settings.ErrorKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * A setting of annotations, properties and calls. It defines its name and default, and how its values are read,
 * checked, printed, merged and applied to a policy. The constants are the settings of {@code @RetryOn}, in display
 * order. Modules add settings in a {@link SettingGroup}.
 *
 * @param <T> the type of the setting's values
 */
public final class Setting<T> implements Comparable<Setting<?>> {

    public static final String RULE_OF_ATTEMPTS =
            "a whole number of at least 1, or " + Integer.MAX_VALUE + " for no limit";

    public static final String RULE_OF_MULTIPLIERS = "a number of at least 1.0";

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** The settings of {@code @RetryOn}. */
    private static final List<Setting<?>> OWN = new ArrayList<>();

    public static final Setting<Set<Class<? extends Throwable>>> EXCEPTIONS =
            types("exceptions", (policy, type) -> policy.retryOn(type), RetryPolicy::exceptions);

    public static final Setting<Set<Class<? extends Throwable>>> EXCLUDES =
            types("excludes", (policy, type) -> policy.excludes(type), RetryPolicy::excludes);

    public static final Setting<Set<String>> NON_RETRYABLE_ERRORS = new Setting<>(
            "nonRetryableErrors",
            false,
            (attribute, text) -> new LinkedHashSet<>(List.of(StringUtils.tokenizeToStringArray(text, ","))),
            (attribute, texts) ->
                    require(texts.stream().noneMatch(String::isBlank), attribute, texts, "without blank entries"),
            Setting::both,
            null,
            (policy, patterns) -> policy.nonRetryableErrors(patterns.toArray(String[]::new)),
            RetryPolicy::nonRetryableErrors);

    /** The rules for errors. Layers are merged rule by rule and setting by setting. */
    public static final Setting<Map<ErrorKey, RetrySettings>> ERRORS =
            new Setting<>("errors", false, notText(), Setting::checkRules, Setting::merged, null, null, policy -> null);

    public static final Setting<Integer> MAX_ATTEMPTS = new Setting<>(
            "maxAttempts",
            true,
            Setting::count,
            (attribute, count) -> require(
                    count >= 0, attribute, count, "a whole number of at least 1 (1 means that nothing is retried)"),
            null,
            RetryPolicy.DEFAULT_MAX_ATTEMPTS,
            RetryPolicyBuilder::maxAttempts,
            RetryPolicy::maxAttempts);

    public static final Setting<Boolean> RETRYABLE =
            flag("retryable", true, RetryPolicyBuilder::retryable, RetryPolicy::retryable);

    /**
     * The name of a built-in strategy, in upper or lower case as for enum constants in Spring Boot, or the name of a
     * bean or a method.
     */
    public static final Setting<String> BACKOFF = new Setting<>(
            "backoff",
            false,
            (attribute, text) -> Backoff.names().contains(constant(text)) ? constant(text) : text,
            anyValue(),
            null,
            "exponential",
            null,
            Setting::backoff);

    public static final Setting<Duration> DELAY =
            duration("delay", RetryPolicy.DEFAULT_DELAY, RetryPolicyBuilder::delay, RetryPolicy::delay);

    public static final Setting<Double> MULTIPLIER = new Setting<>(
            "multiplier",
            true,
            readAs(Double::valueOf, RULE_OF_MULTIPLIERS),
            (attribute, factor) -> Backoff.requireMultiplier(factor),
            null,
            RetryPolicy.DEFAULT_MULTIPLIER,
            RetryPolicyBuilder::multiplier,
            RetryPolicy::multiplier);

    public static final Setting<Duration> MAX_DELAY =
            duration("maxDelay", RetryPolicy.DEFAULT_MAX_DELAY, RetryPolicyBuilder::maxDelay, RetryPolicy::maxDelay);

    public static final Setting<Jitter> JITTER = new Setting<>(
            "jitter",
            true,
            Setting::jitter,
            anyValue(),
            null,
            RetryPolicy.DEFAULT_JITTER,
            RetryPolicyBuilder::jitter,
            RetryPolicy::jitter);

    public static final Setting<Duration> TIMEOUT =
            duration("timeout", null, RetryPolicyBuilder::timeout, RetryPolicy::timeout);

    public static final Setting<Duration> ATTEMPT_TIMEOUT =
            duration("attemptTimeout", null, RetryPolicyBuilder::attemptTimeout, RetryPolicy::attemptTimeout);

    public static final Setting<String> ONLY_IF = text("onlyIf", false);

    public static final Setting<String> UNLESS = text("unless", false);

    public static final Setting<String> RETRY_IF = text("retryIf", false);

    public static final Setting<String> BUDGET = text("budget", true);

    public static final Setting<String> BUDGET_KEY = text("budgetKey", false);

    public static final Setting<Double> BUDGET_COST = new Setting<>(
            "budgetCost",
            true,
            readAs(Double::valueOf, "0 or more"),
            (attribute, cost) -> RetryPolicy.builder().budgetCost(cost),
            null,
            null,
            RetryPolicyBuilder::budgetCost,
            RetryPolicy::budgetCost);

    public static final Setting<String> RECOVER = text("recover", false);

    public static final Setting<String> BEFORE_RETRY = text("beforeRetry", false);

    public static final Setting<Set<Class<? extends Throwable>>> RECOVER_ON =
            types("recoverOn", (policy, type) -> policy.recoverOn(type), RetryPolicy::recoverOn);

    private static final Set<Setting<String>> GATES = Set.of(ONLY_IF, UNLESS, RETRY_IF, BUDGET_KEY);

    private static final Set<Setting<?>> OF_RULES =
            new TreeSet<>(List.of(MAX_ATTEMPTS, BACKOFF, DELAY, MULTIPLIER, MAX_DELAY, JITTER, BUDGET_COST));

    /** The layers that are allowed to set a setting. */
    public enum Use {
        /** Every layer. */
        ANYWHERE,

        /** Layers that exist at start-up. */
        AT_START,

        /** Only operators, while the application runs. */
        BY_OPERATORS
    }

    private final int position;

    private final String attribute;

    private final String property;

    private final Use use;

    private final boolean isPlain;

    /** Takes the attribute and a text; throws IllegalArgumentException with a sentence that names the attribute and the rule. */
    private final BiFunction<String, String, T> reader;

    private final BiConsumer<String, T> check;

    /** Adds a value to the value of a weaker layer, if one exists; {@code null} if stronger layers replace the value. */
    private final @Nullable BiFunction<@Nullable T, T, T> sum;

    private final @Nullable T defaultValue;

    private final @Nullable BiConsumer<RetryPolicyBuilder, T> application;

    private final Function<RetryPolicy, @Nullable T> reading;

    /** Creates a setting of {@code @RetryOn}. */
    private Setting(
            String attribute,
            boolean isPlain,
            BiFunction<String, String, T> reader,
            BiConsumer<String, T> check,
            @Nullable BiFunction<@Nullable T, T, T> sum,
            @Nullable T defaultValue,
            @Nullable BiConsumer<RetryPolicyBuilder, T> application,
            Function<RetryPolicy, @Nullable T> reading) {
        this(attribute, Use.ANYWHERE, isPlain, reader, check, sum, defaultValue, application, reading);
        OWN.add(this);
    }

    private Setting(
            String attribute,
            Use use,
            boolean isPlain,
            BiFunction<String, String, T> reader,
            BiConsumer<String, T> check,
            @Nullable BiFunction<@Nullable T, T, T> sum,
            @Nullable T defaultValue,
            @Nullable BiConsumer<RetryPolicyBuilder, T> application,
            Function<RetryPolicy, @Nullable T> reading) {
        this.attribute = attribute;
        this.property = attribute.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        this.use = use;
        this.isPlain = isPlain;
        this.reader = reader;
        this.check = check;
        this.sum = sum;
        this.defaultValue = defaultValue;
        this.application = application;
        this.reading = reading;
        this.position = COUNT.getAndIncrement();
    }

    /** Creates a text setting, which a policy does not have. */
    private static Setting<String> text(String attribute, boolean isPlain) {
        return new Setting<>(attribute, isPlain, (name, text) -> text, anyValue(), null, null, null, policy -> null);
    }

    private static Setting<Boolean> flag(
            String attribute,
            @Nullable Boolean defaultValue,
            @Nullable BiConsumer<RetryPolicyBuilder, Boolean> application,
            Function<RetryPolicy, @Nullable Boolean> reading) {
        return new Setting<>(attribute, true, Setting::readFlag, anyValue(), null, defaultValue, application, reading);
    }

    private static Setting<Duration> duration(
            String attribute,
            @Nullable Duration defaultValue,
            BiConsumer<RetryPolicyBuilder, Duration> application,
            Function<RetryPolicy, @Nullable Duration> reading) {
        return new Setting<>(
                attribute, true, durations(), Setting::requireNotNegative, null, defaultValue, application, reading);
    }

    private static Setting<Set<Class<? extends Throwable>>> types(
            String attribute,
            BiConsumer<RetryPolicyBuilder, Class<? extends Throwable>> application,
            Function<RetryPolicy, @Nullable Set<Class<? extends Throwable>>> reading) {
        return new Setting<>(
                attribute,
                false,
                notText(),
                anyValue(),
                Setting::both,
                null,
                (policy, types) -> types.forEach(type -> application.accept(policy, type)),
                reading);
    }

    /** Creates a setting of a {@linkplain SettingGroup group}. Policies do not apply it by themselves. */
    private static <T> Setting<T> ofGroup(
            String attribute,
            Use use,
            boolean isPlain,
            BiFunction<String, String, T> reader,
            BiConsumer<String, T> check,
            Function<RetryPolicy, @Nullable T> reading) {
        return new Setting<>(attribute, use, isPlain, reader, check, null, null, null, reading);
    }

    /**
     * Creates a text setting of a group.
     *
     * @param attribute the name of the group and the attribute of its annotation, separated by a dot
     */
    public static Setting<String> textOfGroup(String attribute, Use use) {
        return ofGroup(attribute, use, false, (name, text) -> text, anyValue(), policy -> null);
    }

    /** Creates a duration setting of a group, zero or more. */
    public static Setting<Duration> durationOfGroup(String attribute, Use use) {
        return ofGroup(attribute, use, true, durations(), Setting::requireNotNegative, policy -> null);
    }

    /** Creates a setting of a group that is true or false. */
    public static Setting<Boolean> flagOfGroup(String attribute, Use use) {
        return ofGroup(attribute, use, true, Setting::readFlag, anyValue(), policy -> null);
    }

    /**
     * Creates a setting of a group whose values are constants.
     *
     * @param allowed the values that layers can set
     * @param reading returns the value of a policy that was built in code; {@code null} if the policy has none
     */
    public static <E extends Enum<E>> Setting<E> constantOfGroup(
            String attribute, Use use, List<E> allowed, Function<RetryPolicy, @Nullable E> reading) {
        String rule = allowed.stream().map(Setting::print).collect(Collectors.joining(", ", "one of ", ""));
        return ofGroup(attribute, use, true, readAs(text -> constant(allowed, text), rule), anyValue(), reading);
    }

    /** Returns the settings whose values are SpEL expressions. */
    public static Set<Setting<String>> expressions() {
        return Known.EXPRESSIONS;
    }

    /** Returns the settings of {@code @RetryOn} and of all groups, in display order. */
    public static List<Setting<?>> all() {
        return Known.ALL;
    }

    /** Returns the settings of {@code @RetryOn}. */
    public static List<Setting<?>> own() {
        return Collections.unmodifiableList(OWN);
    }

    /** Returns the settings that layers cannot change while the application runs. */
    public static Set<Setting<?>> fixed() {
        return Known.FIXED;
    }

    /** Returns the settings that operators can change while the application runs. */
    public static List<Setting<?>> ofOperators() {
        return Known.OF_OPERATORS;
    }

    /** The complete list of settings, created when it is first used, because the groups of modules also have settings. */
    private static final class Known {

        private static final List<Setting<?>> WITH_GROUPS = Stream.concat(
                        OWN.stream(), SettingGroup.all().stream().flatMap(group -> group.settings().stream()))
                .toList();

        private static final List<Setting<?>> ALL = WITH_GROUPS.stream()
                .filter(setting -> setting.use != Use.BY_OPERATORS)
                .toList();

        private static final Set<Setting<?>> FIXED =
                ALL.stream().filter(Setting::isFixed).collect(Collectors.toUnmodifiableSet());

        private static final List<Setting<?>> OF_OPERATORS = WITH_GROUPS.stream()
                .filter(setting -> !setting.addsUp() && !setting.isFixed())
                .toList();

        private static final Set<Setting<String>> EXPRESSIONS = expressions();

        private static Set<Setting<String>> expressions() {
            Set<Setting<String>> expressions = new TreeSet<>(GATES);
            SettingGroup.all().forEach(group -> expressions.addAll(group.keys()));
            return Collections.unmodifiableSet(expressions);
        }
    }

    private boolean isFixed() {
        return use == Use.AT_START;
    }

    /** Returns whether only operators can set it, while the application runs. */
    public boolean isOnlyForOperators() {
        return use == Use.BY_OPERATORS;
    }

    /**
     * Returns whether all values are numbers, times, or words that do not refer to code. Other values are expressions,
     * or names of types, beans or methods. Such values are not accepted from a database, because the content of a
     * database must not select code.
     */
    public boolean isPlain() {
        return isPlain;
    }

    /** Returns the settings that a rule for an error can have. */
    public static Set<Setting<?>> ofRules() {
        return Collections.unmodifiableSet(OF_RULES);
    }

    /**
     * Returns the name in endpoints and messages, such as {@code maxAttempts}. For a setting of a group, the name
     * begins with the name of the group.
     */
    public String attribute() {
        return attribute;
    }

    /** Returns the name in the annotation. */
    public String localName() {
        return attribute.substring(attribute.lastIndexOf('.') + 1);
    }

    /** Returns the name in a block of properties, such as {@code max-attempts}. */
    public String property() {
        return property;
    }

    public @Nullable T defaultValue() {
        return defaultValue;
    }

    /** Returns whether the values of several layers add up instead of replacing each other, as lists and rules do. */
    public boolean addsUp() {
        return sum != null;
    }

    /** Applies a value to a policy, unless its meaning depends on the method, as for a gate or a recovery method. */
    public void apply(RetryPolicyBuilder policy, T value) {
        if (application != null) {
            application.accept(policy, value);
        }
    }

    /** Returns the value in a policy that was built in code; {@code null} if it has none or the value exists only as code. */
    @Nullable T of(RetryPolicy policy) {
        return reading.apply(policy);
    }

    /** Returns the class name of a custom strategy, because its text can be different each time and reading it can fail. */
    private static String backoff(RetryPolicy policy) {
        return policy.backoff() instanceof Backoff builtIn
                ? builtIn.toString()
                : policy.backoff().getClass().getName();
    }

    /** Reads a text without placeholders. Throws IllegalArgumentException with a message that states the rule. */
    public T parse(String text) {
        return check(reader.apply(attribute, text.trim()));
    }

    /** Checks and returns a value. Throws IllegalArgumentException with a message that states the rule. */
    public T check(T value) {
        check.accept(attribute, Objects.requireNonNull(value, attribute));
        return value;
    }

    public T merge(@Nullable T weaker, T stronger) {
        return sum == null ? stronger : sum.apply(weaker, stronger);
    }

    /** Casts a value. In a map from settings to values, each value has the type of its setting. */
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

    /** Explains why a text still contains a placeholder, in a clause that begins with "is". */
    public static String unresolved(String text) {
        return "is '" + text + "', but "
                + (text.indexOf('}', text.indexOf("${")) < 0
                        ? "its placeholder does not end with }"
                        : "no property resolves its placeholder");
    }

    @Override
    public String toString() {
        return attribute;
    }

    /** Prints a value as users write it, for example {@code on-failure} or {@code 1ms}. */
    public static String print(Object value) {
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        return value instanceof Duration duration ? DurationText.print(duration) : String.valueOf(value);
    }

    /** Returns the items of both sets, in the order of the layers. */
    private static <E> Set<E> both(@Nullable Set<E> weaker, Set<E> stronger) {
        Set<E> both = new LinkedHashSet<>(weaker == null ? Set.of() : weaker);
        both.addAll(stronger);
        return Collections.unmodifiableSet(both);
    }

    private static Map<ErrorKey, RetrySettings> merged(
            @Nullable Map<ErrorKey, RetrySettings> weaker, Map<ErrorKey, RetrySettings> stronger) {
        Map<ErrorKey, RetrySettings> merged = new LinkedHashMap<>(weaker == null ? Map.of() : weaker);
        stronger.forEach((error, rule) -> merged.merge(error, rule, RetrySettings::and));
        return Collections.unmodifiableMap(merged);
    }

    private static void checkRules(String attribute, Map<ErrorKey, RetrySettings> rules) {
        rules.forEach((error, rule) -> {
            if (error.toString().isBlank()) {
                throw new IllegalArgumentException(
                        "'" + attribute + "' has a rule for a blank code; write a code such as http.503");
            }
            for (Setting<?> setting : rule.values().keySet()) {
                if (!OF_RULES.contains(setting)) {
                    throw new IllegalArgumentException(
                            "'" + attribute + "' has a rule for " + error + " with " + setting
                                    + ", but a rule can only have "
                                    + OF_RULES.stream().map(Setting::attribute).collect(Collectors.joining(", ")));
                }
            }
        });
    }

    private static void require(boolean allowed, String attribute, Object value, String rule) {
        if (!allowed) {
            throw new IllegalArgumentException(attribute + " is '" + print(value) + "', but must be " + rule);
        }
    }

    /** Returns a constant in lower case. Returns any other text unchanged. */
    private static String constant(String text) {
        return text.chars().allMatch(Character::isLetter) ? text.toLowerCase(Locale.ROOT) : text;
    }

    /** Accepts all forms of names that Spring Boot accepts, and {@code false} for {@code off}, which YAML reads as false. */
    private static <E extends Enum<E>> E constant(List<E> allowed, String text) {
        String name = text.equals("false") ? "off" : letters(text);
        return allowed.stream()
                .filter(value -> letters(value.name()).equals(name))
                .findFirst()
                .orElseThrow(IllegalArgumentException::new);
    }

    private static String letters(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[-_]", "");
    }

    private static <T> BiFunction<String, String, T> readAs(Function<String, T> parser, String rule) {
        return (attribute, text) -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException ex) {
                throw new IllegalArgumentException(attribute + " is '" + text + "', but must be " + rule, ex);
            }
        };
    }

    private static Integer count(String attribute, String text) {
        String rule = text.matches("\\d{10,}") ? "at most " + Integer.MAX_VALUE : RULE_OF_ATTEMPTS;
        return readAs(Integer::valueOf, rule).apply(attribute, text);
    }

    private static Boolean readFlag(String attribute, String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(attribute + " is '" + text + "', but must be true or false");
        };
    }

    private static Jitter jitter(String attribute, String text) {
        return switch (constant(text)) {
            case "true" -> RetryPolicy.DEFAULT_JITTER;
            case "false" -> Jitter.none();
            default -> Jitter.parse(constant(text));
        };
    }

    private static BiFunction<String, String, Duration> durations() {
        return readAs(DurationText::parse, "a duration such as 500ms, 2s, 5m or PT0.5S");
    }

    private static void requireNotNegative(String attribute, Duration duration) {
        require(!duration.isNegative(), attribute, duration, "0 or more");
    }

    @SuppressWarnings("UnnecessaryLambda") // a method would have a type parameter for its argument only
    private static <T> BiConsumer<String, T> anyValue() {
        return (attribute, value) -> {};
    }

    @SuppressWarnings("UnnecessaryLambda") // a method would have a type parameter for its result only
    private static <T> BiFunction<String, String, T> notText() {
        return (attribute, text) -> {
            throw new IllegalStateException(attribute + " must be written as text");
        };
    }
}

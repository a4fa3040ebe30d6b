// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.ExhaustionAction;
import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** How the values of some settings are read, checked, printed and merged. */
final class SettingType<T> {

    static final SettingType<Integer> COUNT = new SettingType<>(
            SettingType::count,
            (attribute, count) -> require(
                    count >= 0, attribute, count, "a whole number of at least 1 (1 means that nothing is retried)"));

    static final SettingType<Double> FACTOR = new SettingType<>(
            readAs(Double::valueOf, Setting.RULE_OF_MULTIPLIERS),
            (attribute, factor) -> Backoff.requireMultiplier(factor));

    static final SettingType<Double> COST = new SettingType<>(
            readAs(Double::valueOf, "a number that is not negative"),
            (attribute, cost) -> RetryPolicy.builder().budgetCost(cost));

    static final SettingType<Duration> DURATION = new SettingType<>(
            readAs(DurationText::parse, "a duration such as 500ms, 2s, 5m or PT0.5S"),
            (attribute, duration) ->
                    require(!duration.isNegative(), attribute, duration, "a duration that is not negative"));

    static final SettingType<Boolean> FLAG = new SettingType<>(SettingType::flag);

    static final SettingType<Jitter> JITTER = new SettingType<>(SettingType::jitter);

    static final SettingType<ExhaustionAction> ENDING =
            constants(ExhaustionAction.class, "rethrow, dead-letter or discard");

    static final SettingType<StoringMode> DURABILITY = constants(StoringMode.class, "off, on-failure or outbox");

    static final SettingType<String> TEXT = new SettingType<>((attribute, text) -> text);

    /** The name of a built-in strategy in any case, as Boot reads constants; other names are those of beans and methods. */
    static final SettingType<String> BACKOFF =
            new SettingType<>((attribute, text) -> Backoff.names().contains(constant(text)) ? constant(text) : text);

    private static final Set<SettingType<?>> PLAIN = Set.of(COUNT, FACTOR, COST, DURATION, FLAG, JITTER, ENDING);

    /** Takes the attribute and a text; throws IllegalArgumentException with a sentence that names the attribute and the rule. */
    private final BiFunction<String, String, T> reader;

    private final BiConsumer<String, T> check;

    /** Adds a value to that of a weaker layer, if there is one; {@code null} if it replaces it. */
    private final @Nullable BiFunction<@Nullable T, T, T> sum;

    private SettingType(
            BiFunction<String, String, T> reader,
            BiConsumer<String, T> check,
            @Nullable BiFunction<@Nullable T, T, T> sum) {
        this.reader = reader;
        this.check = check;
        this.sum = sum;
    }

    private SettingType(BiFunction<String, String, T> reader, BiConsumer<String, T> check) {
        this(reader, check, null);
    }

    private SettingType(BiFunction<String, String, T> reader) {
        this(reader, (attribute, value) -> {});
    }

    static SettingType<Set<Class<? extends Throwable>>> errorTypes() {
        return new SettingType<>(notText(), (attribute, types) -> {}, SettingType::both);
    }

    static SettingType<Map<ErrorKey, RetrySettings>> rules() {
        return new SettingType<>(notText(), SettingType::checkRules, SettingType::merged);
    }

    static SettingType<Set<String>> texts() {
        return new SettingType<>(
                (attribute, text) -> new LinkedHashSet<>(List.of(StringUtils.tokenizeToStringArray(text, ","))),
                (attribute, texts) ->
                        require(texts.stream().noneMatch(String::isBlank), attribute, texts, "without blank entries"),
                SettingType::both);
    }

    /** Whether the values are numbers, times, or words that name no code. */
    boolean isPlain() {
        return PLAIN.contains(this);
    }

    boolean addsUp() {
        return sum != null;
    }

    T parse(String attribute, String text) {
        return reader.apply(attribute, text);
    }

    void check(String attribute, T value) {
        check.accept(attribute, value);
    }

    T merge(@Nullable T weaker, T stronger) {
        return sum == null ? stronger : sum.apply(weaker, stronger);
    }

    /** The items of both, in the order of the layers. */
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
                        attribute + " has a rule for a blank code; write a code such as http.503");
            }
            for (Setting<?> setting : rule.values().keySet()) {
                if (!Setting.ofRules().contains(setting)) {
                    throw new IllegalArgumentException(attribute + " has a rule for " + error + " with " + setting
                            + ", but a rule can only have " + Setting.ofRules());
                }
            }
        });
    }

    private static void require(boolean allowed, String attribute, Object value, String rule) {
        if (!allowed) {
            throw new IllegalArgumentException(attribute + " is '" + Setting.print(value) + "', but must be " + rule);
        }
    }

    /** A constant in lower case. Returns other texts unchanged. */
    private static String constant(String text) {
        return text.chars().allMatch(Character::isLetter) ? text.toLowerCase(Locale.ROOT) : text;
    }

    private static <E extends Enum<E>> SettingType<E> constants(Class<E> type, String rule) {
        return new SettingType<>(readAs(
                text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace('-', '_')), rule));
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
        String rule = text.matches("\\d{10,}") ? "at most " + Integer.MAX_VALUE : Setting.RULE_OF_ATTEMPTS;
        return readAs(Integer::valueOf, rule).apply(attribute, text);
    }

    private static Boolean flag(String attribute, String text) {
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

    @SuppressWarnings("UnnecessaryLambda") // a method would have a type parameter for its result only
    private static <T> BiFunction<String, String, T> notText() {
        return (attribute, text) -> {
            throw new IllegalStateException(attribute + " must be written as text");
        };
    }
}

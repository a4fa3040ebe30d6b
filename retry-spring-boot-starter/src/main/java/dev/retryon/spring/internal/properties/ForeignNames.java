/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.properties;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The names of our settings in other retry libraries, and the corresponding values. */
final class ForeignNames {

    /** By the name in lower case without dashes, as binding compares names. */
    private static final Map<String, Translation> SETTINGS = new HashMap<>();

    private static final Map<String, String> BLOCKS = Map.of(
            "instances",
            "policies",
            "backends",
            "policies",
            "configs",
            "policies",
            "policy",
            "policies",
            "global",
            "defaults",
            "limit",
            "limits");

    static {
        add("max-attempts", ForeignNames::onceMore, "max-retries", "retries", "max-retry-attempts", "retry-count");
        add("max-attempts", ForeignNames::same, "attempts", "max-attempt", "max-tries");
        add(
                "delay",
                ForeignNames::same,
                "initial-interval",
                "initial-delay",
                "interval",
                "wait-duration",
                "wait",
                "min-backoff",
                "first-backoff",
                "backoff.delay",
                "backoff.initial-interval",
                "backoff.initial-delay",
                "backoff.value");
        add(
                "max-delay",
                ForeignNames::same,
                "max-interval",
                "max-backoff",
                "max-wait",
                "exponential-max-wait-duration",
                "backoff.max-delay",
                "backoff.max-interval");
        add(
                "multiplier",
                ForeignNames::same,
                "exponential-backoff-multiplier",
                "backoff-multiplier",
                "backoff.multiplier",
                "factor");
        add("jitter", ForeignNames::percent, "randomized-wait-factor", "jitter-factor", "randomization-factor");
        add("jitter", value -> "50%", "enable-randomized-wait", "random", "backoff.random");
        add("backoff", value -> "exponential", "enable-exponential-backoff");
        add(
                "exceptions",
                ForeignNames::same,
                "retry-for",
                "retry-on",
                "retry-exceptions",
                "include",
                "includes",
                "retryable-exceptions");
        add(
                "excludes",
                ForeignNames::same,
                "no-retry-for",
                "not-retry-for",
                "abort-on",
                "ignore-exceptions",
                "exclude",
                "non-retryable-exceptions");
        add("recover", ForeignNames::same, "fallback-method", "fallback", "recoverer", "recovery");
        add("timeout", ForeignNames::same, "max-duration", "max-elapsed-time", "total-timeout");
        add("retry-if", ForeignNames::same, "retry-on-result", "result-predicate");
        add("only-if", ForeignNames::same, "exception-expression", "condition", "if", "retry-exception-predicate");
    }

    private ForeignNames() {}

    private static void add(String ours, UnaryOperator<String> value, String... theirs) {
        for (String name : theirs) {
            SETTINGS.put(uniform(name), new Translation(ours, value));
        }
    }

    private static String uniform(String name) {
        return name.replace("-", "");
    }

    /**
     * A setting of another library as it is written here.
     *
     * @param name the name below a block of settings, in uniform form, with dots between its parts
     * @param value the value, or {@code null} if it is not known
     * @return such as {@code max-attempts: 6}; {@code null} if the name belongs to no library that is known
     */
    static @Nullable String setting(String name, @Nullable Object value) {
        Translation found = SETTINGS.get(name);
        if (found == null) {
            return null;
        }
        String text = Objects.toString(value, "").trim();
        return found.ours + (text.isEmpty() ? "" : ": " + found.value.apply(text));
    }

    /** A block of another library as it is called here; {@code null} if none is known. */
    static @Nullable String block(String name) {
        return BLOCKS.get(name);
    }

    private static String same(String value) {
        return value;
    }

    /** The number of attempts for a number of retries: the first attempt counts too. */
    private static String onceMore(String retries) {
        try {
            return new BigInteger(retries).add(BigInteger.ONE).toString();
        } catch (NumberFormatException ex) {
            return retries;
        }
    }

    private static String percent(String factor) {
        try {
            return new BigDecimal(factor).movePointRight(2).stripTrailingZeros().toPlainString() + "%";
        } catch (NumberFormatException ex) {
            return factor;
        }
    }

    private record Translation(String ours, UnaryOperator<String> value) {}
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * The things that a layer can say.
 *
 * @since 0.1.0
 */
public enum SettingKey {

    /** Exceptions to retry; adds up. */
    EXCEPTIONS("exceptions", Kind.LIST),

    /** Exceptions never to retry; adds up. */
    EXCLUDES("excludes", Kind.LIST),

    /** Error codes never to retry; adds up. */
    NON_RETRYABLE_ERRORS("nonRetryableErrors", Kind.LIST),

    /** Attempts at most. */
    MAX_ATTEMPTS("maxAttempts", Kind.COUNT),

    /** Whether there are retries at all. */
    RETRYABLE("retryable", Kind.FLAG),

    /** How delays grow. */
    BACKOFF("backoff", Kind.TEXT),

    /** The base delay. */
    DELAY("delay", Kind.DURATION),

    /** The multiplier of the backoff. */
    MULTIPLIER("multiplier", Kind.FACTOR),

    /** The cap on every delay. */
    MAX_DELAY("maxDelay", Kind.DURATION),

    /** How delays are spread. */
    JITTER("jitter", Kind.JITTER),

    /** The limit for all attempts and waits together. */
    TIMEOUT("timeout", Kind.DURATION),

    /** The limit for one attempt. */
    ATTEMPT_TIMEOUT("attemptTimeout", Kind.DURATION),

    /** A gate that must be true. */
    ONLY_IF("onlyIf", Kind.TEXT),

    /** A gate that must not be true. */
    UNLESS("unless", Kind.TEXT),

    /** Which returned values are failures. */
    RETRY_IF("retryIf", Kind.TEXT),

    /** The retry budget. */
    BUDGET("budget", Kind.TEXT),

    /** The method that serves the caller of a call that ended in failure. */
    RECOVER("recover", Kind.TEXT);

    private enum Kind {
        LIST,
        COUNT,
        FLAG,
        TEXT,
        DURATION,
        FACTOR,
        JITTER
    }

    private final String attribute;

    private final Kind kind;

    SettingKey(String attribute, Kind kind) {
        this.attribute = attribute;
        this.kind = kind;
    }

    /**
     * The attribute's name in annotations and endpoints.
     *
     * @return such as {@code maxAttempts}
     */
    public String attribute() {
        return attribute;
    }

    /**
     * The property's name.
     *
     * @return such as {@code max-attempts}
     */
    public String property() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Whether layers add up instead of replacing each other.
     *
     * @return {@code true} for lists
     */
    public boolean addsUp() {
        return kind == Kind.LIST;
    }

    /**
     * Prints a value as people write it.
     *
     * @param value a value of this key's type
     * @return such as {@code 500ms} for a duration
     */
    public String print(Object value) {
        if (!(value instanceof Duration duration)) {
            return String.valueOf(value);
        }
        if (duration.isZero()) {
            return "0s";
        }
        for (ChronoUnit unit : List.of(ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS, ChronoUnit.MILLIS)) {
            if (duration.equals(duration.truncatedTo(unit))) {
                return DurationStyle.SIMPLE.print(duration, unit);
            }
        }
        return duration.toString();
    }

    /**
     * Reads what somebody wrote.
     *
     * @param text the text, placeholders resolved
     * @return the value
     * @throws IllegalArgumentException with a sentence that says what is allowed
     */
    Object parse(String text) {
        String trimmed = text.trim();
        return switch (kind) {
            case COUNT -> check(count(trimmed));
            case FACTOR -> check(factor(trimmed));
            case DURATION -> check(duration(trimmed));
            case JITTER -> Jitter.parse(trimmed);
            case TEXT -> trimmed;
            case LIST, FLAG -> throw new IllegalStateException(this + " is not written as text");
        };
    }

    /**
     * Checks a value.
     *
     * @param value a value of this key's type
     * @return the same value
     * @throws IllegalArgumentException with a sentence that says what is allowed
     */
    Object check(Object value) {
        switch (kind) {
            case COUNT ->
                require((Integer) value >= 0, value, "a whole number of at least 1 (1 means that nothing is retried)");
            case FACTOR -> Backoff.requireMultiplier((Double) value);
            case DURATION -> require(!((Duration) value).isNegative(), value, "a duration that is not negative");
            case LIST -> require(!hasBlank((Set<?>) value), value, "without blank entries");
            case FLAG, TEXT, JITTER -> {
                // Every value of the type is allowed.
            }
        }
        return value;
    }

    private static boolean hasBlank(Set<?> items) {
        for (Object item : items) {
            if (item instanceof String text && text.isBlank()) {
                return true;
            }
        }
        return false;
    }

    private void require(boolean allowed, Object value, String rule) {
        if (!allowed) {
            throw new IllegalArgumentException(attribute + " is '" + print(value) + "', but must be " + rule);
        }
    }

    private Integer count(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException ex) {
            throw unreadable(text, text.matches("\\d{10,}") ? "at most " + Integer.MAX_VALUE : "a whole number", ex);
        }
    }

    private Double factor(String text) {
        try {
            return Double.valueOf(text);
        } catch (NumberFormatException ex) {
            throw unreadable(text, "a number of at least 1.0", ex);
        }
    }

    private Duration duration(String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException ex) {
            throw unreadable(text, "a duration such as 500ms, 2s, 5m or PT0.5S", ex);
        }
    }

    private IllegalArgumentException unreadable(String text, String rule, @Nullable Exception cause) {
        return new IllegalArgumentException(attribute + " is '" + text + "', but must be " + rule, cause);
    }
}

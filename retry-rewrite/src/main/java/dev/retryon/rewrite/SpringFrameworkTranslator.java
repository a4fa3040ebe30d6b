/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/** Translates the attributes of Spring Framework's {@code @Retryable}. */
final class SpringFrameworkTranslator {

    private static final double DEFAULT_RETRIES = 3;

    private static final int DEFAULT_MAX_ATTEMPTS = 3;

    private static final double DEFAULT_DELAY = 1000;

    private static final double DEFAULT_MAX_DELAY = 300_000;

    private static final Map<String, Double> MILLISECONDS = Map.of(
            "NANOSECONDS",
            1e-6,
            "MICROSECONDS",
            1e-3,
            "MILLISECONDS",
            1.0,
            "SECONDS",
            1e3,
            "MINUTES",
            6e4,
            "HOURS",
            3.6e6,
            "DAYS",
            8.64e7);

    private static final Pattern PLAIN = Pattern.compile("\\d+");

    private static final Pattern SIMPLE = Pattern.compile("(\\d+)(ms|s|m|h)");

    private static final Map<String, String> UNITS =
            Map.of("ms", "MILLISECONDS", "s", "SECONDS", "m", "MINUTES", "h", "HOURS");

    private final AnnotationAttributes attributes;

    private final Translation result = new Translation();

    private final @Nullable Double unit;

    private SpringFrameworkTranslator(AnnotationAttributes attributes) {
        this.attributes = attributes;
        this.unit = unit(attributes.get("timeUnit"));
    }

    static Translation translate(AnnotationAttributes attributes) {
        return new SpringFrameworkTranslator(attributes).translate();
    }

    private Translation translate() {
        if (attributes.get("predicate") != null) {
            result.leave(
                    "a MethodRetryPredicate decides here; write it as onlyIf, or as a RetryDecider bean for all methods");
        }
        if (unit == null) {
            result.leave("timeUnit is no literal");
            return result;
        }
        Expression included = attributes.types("value", "includes");
        Expression excluded = attributes.types("excludes");
        result.attribute("exceptions", included == null ? Translation.literalOf("Exception") : included);
        if (excluded != null) {
            result.attribute("excludes", excluded);
        }
        Double retries = maxAttempts();
        waits(retries);
        Wait timeout = wait("timeout", 0);
        if (timeout != null && (!timeout.isKnown() || timeout.known() > 0)) {
            timeout.write(result, "timeout");
        }
        return result;
    }

    /** RetryOn counts the first attempt too. Returns the number of retries where it is known. */
    private @Nullable Double maxAttempts() {
        String text = attributes.text("maxRetriesString");
        Double retries = attributes.number("maxRetries", DEFAULT_RETRIES);
        if (text == null || (retries == null && text.isEmpty())) {
            result.leave("maxRetries is no literal; maxAttempts is one more");
            return null;
        }
        if (PLAIN.matcher(text).matches()) {
            retries = Double.valueOf(text);
        } else if (!text.isEmpty()) {
            String inner = Durations.withoutTemplate(text);
            if (inner.equals(text) && !Durations.isPlaceholder(text)) {
                result.leave("maxRetriesString mixes text and placeholders; maxAttempts is one more");
            }
            result.text("maxAttemptsString", "#{" + (inner.equals(text) ? text : "(" + inner + ")") + " + 1}");
            return null;
        }
        if (retries == null) {
            return null;
        }
        long attempts = Math.min(Integer.MAX_VALUE, (long) retries.doubleValue() + 1);
        if (attempts != DEFAULT_MAX_ATTEMPTS) {
            result.number("maxAttempts", attempts);
        }
        return retries;
    }

    private void waits(@Nullable Double retries) {
        Wait delay = wait("delay", DEFAULT_DELAY);
        Wait jitter = wait("jitter", 0);
        Wait maxDelay = wait("maxDelay", Double.MAX_VALUE);
        Double multiplier = attributes.number("multiplier", 1);
        String multiplierText = attributes.text("multiplierString");
        if (delay == null || jitter == null || maxDelay == null) {
            return;
        }
        if (multiplier == null || multiplierText == null) {
            result.leave("multiplier is no literal");
            return;
        }
        boolean grows = !multiplierText.isEmpty() || multiplier > 1;
        boolean jittered = !jitter.isKnown() || jitter.known() > 0;
        if (delay.isKnown() && delay.known() == 0 && jittered) {
            // Spring waits between nothing and the jitter; RetryOn adds no jitter to a delay of zero.
            result.text("backoff", "fixed");
            jitter.write(result, "delay");
            writeMaxDelay(maxDelay, false);
            result.text("jitter", "full");
            return;
        }
        result.text("backoff", grows ? "exponential" : "fixed");
        if (!delay.isKnown() || delay.known() != DEFAULT_DELAY) {
            delay.write(result, "delay");
        }
        if (!multiplierText.isEmpty()) {
            result.text("multiplierString", multiplierText);
        } else if (grows && multiplier != 2) {
            result.number("multiplier", multiplier);
        }
        double longest = delay.known() * Math.pow(multiplier, (retries == null ? Double.NaN : retries) - 1)
                + (jittered ? delay.known() + jitter.known() : 0);
        boolean passesDefault = (grows || jittered) && !(longest <= DEFAULT_MAX_DELAY);
        writeMaxDelay(maxDelay, passesDefault);
        jitter(delay, jitter, grows, jittered);
    }

    private void writeMaxDelay(Wait maxDelay, boolean passesDefault) {
        if (!maxDelay.isKnown() || maxDelay.known() < Double.MAX_VALUE) {
            maxDelay.write(result, "maxDelay");
        } else if (passesDefault) {
            // RetryOn has a cap of five minutes by default and one of 24 hours always.
            result.text("maxDelay", "24h");
        }
    }

    /** Spring adds or subtracts, but never goes below the first delay; its jitter grows with the delay. */
    private void jitter(Wait delay, Wait jitter, boolean grows, boolean jittered) {
        if (!jittered) {
            result.text("jitter", "none");
        } else if (!grows && jitter.isKnown()) {
            result.text("jitter", "+" + Durations.text(jitter.known()));
        } else if (!grows
                && jitter.text() != null
                && !PLAIN.matcher(jitter.text()).matches()) {
            result.text("jitter", "+" + jitter.text());
        } else if (jitter.isKnown() && delay.isKnown()) {
            double share = Math.min(1, jitter.known() / delay.known());
            result.text("jitter", Durations.percent(share));
            result.remark("jitter is the same share of every wait; it can now shorten the first wait too");
        } else {
            result.leave("jitter is a share of the delay in RetryOn, and the two are no literals");
        }
    }

    /** A number in the time unit or a text; {@code null}, with a reason to leave the annotation, for others. */
    private @Nullable Wait wait(String name, double absent) {
        double factor = unit == null ? 1 : unit;
        String text = attributes.text(name + "String");
        if (text == null) {
            result.leave(name + "String is no literal");
            return null;
        }
        if (text.isEmpty()) {
            Expression value = attributes.get(name);
            if (value == null || value.toString().equals("Long.MAX_VALUE")) {
                return Wait.of(absent);
            }
            Double number = attributes.number(name, absent);
            if (number != null) {
                return milliseconds(name, number * factor);
            }
            if (factor != 1) {
                result.leave(name + " is no literal");
                return null;
            }
            return Wait.of(attributes, name, absent);
        }
        Matcher simple = SIMPLE.matcher(text);
        if (PLAIN.matcher(text).matches()) {
            return milliseconds(name, Double.parseDouble(text) * factor);
        }
        if (simple.matches()) {
            return milliseconds(
                    name,
                    Double.parseDouble(simple.group(1)) * MILLISECONDS.getOrDefault(UNITS.get(simple.group(2)), 1.0));
        }
        if (factor != 1 && (text.contains("${") || text.contains("#{"))) {
            result.leave(name + "String may resolve to a number of another unit than milliseconds");
            return null;
        }
        return Wait.of(text);
    }

    private @Nullable Wait milliseconds(String name, double milliseconds) {
        if (milliseconds != Math.rint(milliseconds)) {
            result.leave(name + " is no whole number of milliseconds");
            return null;
        }
        return Wait.of(milliseconds);
    }

    private static @Nullable Double unit(@Nullable Expression timeUnit) {
        String name = timeUnit instanceof J.FieldAccess access
                ? access.getSimpleName()
                : timeUnit instanceof J.Identifier identifier ? identifier.getSimpleName() : "MILLISECONDS";
        return MILLISECONDS.get(name);
    }
}

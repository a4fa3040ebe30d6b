// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

record SpringFrameworkTranslator(AnnotationAttributes attributes, Translation result, TimeUnit unit) {

    private static final double DEFAULT_RETRIES = 3;

    private static final double DEFAULT_MAX_DELAY = 300_000;

    private static final Pattern PLAIN = Pattern.compile("\\d+");

    private static final Pattern ARITHMETIC = Pattern.compile("([\\d\\s+*/()-]|\\$\\{[^{}]*})+");

    private static final Pattern SIMPLE = Pattern.compile("(\\d+)(ms|s|m|h)");

    private static final Map<String, TimeUnit> UNITS =
            Map.of("ms", TimeUnit.MILLISECONDS, "s", TimeUnit.SECONDS, "m", TimeUnit.MINUTES, "h", TimeUnit.HOURS);

    static void translate(Site site) {
        AnnotationAttributes attributes = site.attributes();
        new SpringFrameworkTranslator(attributes, site.translation(), unit(attributes.get("timeUnit"))).translate();
    }

    private void translate() {
        Expression included = attributes.types("value", "includes");
        Expression excluded = attributes.types("excludes");
        result.attribute("exceptions", included == null ? Translation.anyThrown() : included);
        result.copy("excludes", excluded);
        waits(maxAttempts());
        Wait timeout = wait("timeout", 0);
        if (!timeout.isKnown() || timeout.known() > 0) {
            timeout.write(result, "timeout");
        }
    }

    /** Sets {@code maxAttempts}, which includes the first attempt. Returns the retries, or NaN if known only at start-up. */
    private double maxAttempts() {
        String text = attributes.text("maxRetriesString");
        double number = attributes.number("maxRetries", DEFAULT_RETRIES);
        boolean isNumber = PLAIN.matcher(text).matches();
        Expression constant = attributes.constant("maxRetriesString");
        if (text.isEmpty() && attributes.constant("maxRetries") != null) {
            result.leave("maxRetries is not a number; write maxAttempts, which is one higher");
        }
        double retries = isNumber ? Double.parseDouble(text) : text.isEmpty() ? number : Double.NaN;
        if (text.isEmpty() || (isNumber && constant == null)) {
            result.number("maxAttempts", Math.min(Integer.MAX_VALUE, (long) retries + 1));
            return retries;
        }
        String inner = Wait.withoutTemplate(text);
        if (inner.equals(text) && !isNumber && !Wait.isPlaceholder(text)) {
            result.leave("maxRetriesString mixes text and placeholders; write maxAttempts, which is one higher");
        }
        result.text("maxAttemptsString", "#{" + (inner.equals(text) ? text : number(inner)) + " + 1}", text, constant);
        return retries;
    }

    /** Returns a numeric expression, because the given one can result in a text, to which + would append. */
    private static String number(String expression) {
        return ARITHMETIC.matcher(expression).matches()
                ? "(" + expression + ")"
                : "T(Integer).parseInt('' + (" + expression + "))";
    }

    private void waits(double retries) {
        Wait delay = wait("delay", Wait.DEFAULT_DELAY);
        Wait jitter = wait("jitter", 0);
        Wait maxDelay = wait("maxDelay", Long.MAX_VALUE);
        double multiplier = attributes.number("multiplier", 1);
        String multiplierText = attributes.text("multiplierString");
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
        delay.writeDelay(result, attributes.get("delay") != null || attributes.get("delayString") != null);
        if (!multiplierText.isEmpty()) {
            result.text("multiplierString", multiplierText, multiplierText, attributes.constant("multiplierString"));
        } else if (grows) {
            result.copy("multiplier", attributes.get("multiplier"));
        }
        double last = delay.known() * (grows ? Math.pow(multiplier, retries - 1) : 1);
        double longest = last * (1 + (jittered ? jitter.known() / delay.known() : 0));
        boolean passesDefault = (grows || jittered) && !(longest <= DEFAULT_MAX_DELAY);
        writeMaxDelay(maxDelay, passesDefault);
        jitter(delay, jitter, grows, jittered);
    }

    private void writeMaxDelay(Wait maxDelay, boolean passesDefault) {
        if (!maxDelay.isKnown() || maxDelay.known() < Long.MAX_VALUE) {
            maxDelay.write(result, "maxDelay");
        } else if (passesDefault) {
            // RetryOn has a default cap of five minutes, and an upper limit of 24 hours.
            result.text("maxDelay", "24h");
        }
    }

    /** Sets the jitter. Spring adds or subtracts, but never goes below the first delay, and its jitter grows with the delay. */
    private void jitter(Wait delay, Wait jitter, boolean grows, boolean jittered) {
        if (!jittered) {
            result.text("jitter", "none");
        } else if (!grows && jitter.isKnown()) {
            result.text("jitter", "+" + Wait.duration(jitter.known()));
        } else if (!grows && jitter.text() != null) {
            result.text("jitter", "+" + jitter.text(), jitter.text(), jitter.constant());
        } else if (!jitter.isKnown() || !delay.isKnown()) {
            result.leave("in RetryOn, jitter is a percentage of the delay, but the two values are not constants");
        } else if (jitter.known() > delay.known()) {
            // A share has at most 100 %.
            result.text("jitter", "+" + Wait.duration(jitter.known()));
            result.remark("jitter used to grow with the delay; now the same time is added to every wait");
        } else {
            result.text("jitter", Wait.percent(jitter.known() / delay.known()));
            result.remark("jitter is the same percentage of every delay, and can now also shorten the first delay");
        }
    }

    private Wait wait(String name, double absent) {
        String text = attributes.text(name + "String");
        if (text.isEmpty()) {
            Wait wait = Wait.of(attributes, name, absent);
            return unit == TimeUnit.MILLISECONDS || attributes.get(name) == null
                    ? wait
                    : milliseconds(name, wait.known(), unit);
        }
        Matcher simple = SIMPLE.matcher(text);
        if (PLAIN.matcher(text).matches()) {
            return milliseconds(name, Double.parseDouble(text), unit);
        }
        if (simple.matches()) {
            return milliseconds(
                    name,
                    Double.parseDouble(simple.group(1)),
                    UNITS.getOrDefault(simple.group(2), TimeUnit.MILLISECONDS));
        }
        if (unit != TimeUnit.MILLISECONDS && (text.contains("${") || text.contains("#{"))) {
            result.leave(name + "String can resolve to a number in a unit other than milliseconds");
        }
        return Wait.of(text, attributes.constant(name + "String"));
    }

    private Wait milliseconds(String name, double time, TimeUnit timeUnit) {
        double milliseconds = time * timeUnit.toNanos(1) / TimeUnit.MILLISECONDS.toNanos(1);
        if (milliseconds != Math.rint(milliseconds)) {
            result.leave(name + " is not a whole number of milliseconds");
        }
        return Wait.of(milliseconds);
    }

    /** Returns the unit that an attribute names. An attribute whose type is an enum always names a constant. */
    private static TimeUnit unit(@Nullable Expression timeUnit) {
        String name = timeUnit instanceof J.FieldAccess access
                ? access.getSimpleName()
                : timeUnit instanceof J.Identifier identifier ? identifier.getSimpleName() : "MILLISECONDS";
        return TimeUnit.valueOf(name);
    }
}

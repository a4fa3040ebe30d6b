// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import java.util.regex.Pattern;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

record SpringRetryTranslator(AnnotationAttributes attributes, Translation result) {

    /** {@code ExponentialBackOffPolicy.DEFAULT_MAX_INTERVAL}. */
    private static final double DEFAULT_MAX_DELAY = 30_000;

    /** RetryOn's default multiplier. With this multiplier, {@code bounded} is the same jitter. */
    private static final double DOUBLING = 2;

    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?");

    private static final Pattern OF_THE_CALL = Pattern.compile("\\bargs\\b|#root\\b|#this\\b|\\bargs\\[");

    static void translate(Site site) {
        new SpringRetryTranslator(site.attributes(), site.translation()).translate();
    }

    private void translate() {
        exceptions();
        if (attributes.isSet("label")) {
            result.copy("name", attributes.get("label"));
        }
        if (attributes.isSet("maxAttemptsExpression")) {
            once(attributes, "maxAttemptsExpression", "maxAttemptsString");
        } else {
            result.copy("maxAttempts", attributes.get("maxAttempts"));
        }
        backoff(attributes.nested("backoff"));
        listeners();
    }

    private void listeners() {
        List<String> names = attributes.texts("listeners");
        if (names.isEmpty()) {
            return;
        }
        if (String.join("", names).isEmpty()) {
            result.remark("spring-retry called no listener; RetryListener beans also receive events from this method");
        } else {
            result.remark("spring-retry called the listeners " + String.join(", ", names)
                    + "; define beans of type dev.retryon.RetryListener instead, which receive the events"
                    + " from all methods");
        }
    }

    private void exceptions() {
        Expression included = attributes.types("value", "retryFor", "include");
        Expression excluded = attributes.types("noRetryFor", "exclude");
        for (JavaType include : AnnotationAttributes.typesOf(included)) {
            for (JavaType exclude : AnnotationAttributes.typesOf(excluded)) {
                if (TypeUtils.isAssignableTo(exclude, include)) {
                    result.leave("retryFor lists a subtype of noRetryFor; in spring-retry, the more specific type"
                            + " wins, but in RetryOn, an exclusion always wins");
                }
            }
        }
        // Without both lists, errors are not retried; with exclusions alone, they are.
        Expression unlisted = excluded == null ? Translation.literalOf("Exception") : Translation.anyThrown();
        result.attribute("exceptions", included == null ? unlisted : included);
        result.copy("excludes", excluded);
        if (included != null && excluded != null) {
            result.remark("an excluded cause now prevents a retry even if the error itself is listed");
        }
    }

    private void backoff(AnnotationAttributes backoff) {
        if (backoff.isSet("randomExpression")) {
            result.leave("randomExpression determines the jitter; write an expression as jitter");
        }
        double multiplier = backoff.number("multiplier", 0);
        String multiplierExpression = backoff.text("multiplierExpression");
        if (multiplierExpression.isEmpty() && multiplier <= 0) {
            evenWaits(backoff);
        } else {
            growingWaits(backoff, multiplier, multiplierExpression);
        }
    }

    /** Translates waits without a multiplier: a fixed wait, or a random wait between delay and maxDelay. */
    private void evenWaits(AnnotationAttributes backoff) {
        Wait delay = delay(backoff);
        boolean random = backoff.get("maxDelay") != null && !(delay.text() != null && !isTemplate(delay.text()));
        if (isTemplate(backoff.text("maxDelayExpression"))) {
            result.leave("maxDelayExpression without a multiplier means a random wait between delay and"
                    + " maxDelayExpression, which cannot be migrated");
            return;
        }
        Wait maxDelay = Wait.of(backoff, "maxDelay", 0);
        if (random && !(delay.isKnown() && maxDelay.isKnown())) {
            result.leave("maxDelay without a multiplier means a random wait between delay and maxDelay, which can only"
                    + " be migrated if both are constants");
            return;
        }
        result.text("backoff", "fixed");
        if (random && maxDelay.known() > delay.known()) {
            // Nothing is added to a delay of zero.
            double least = Math.max(1, delay.known());
            writeDelay(backoff, delay.or(least));
            writeCap(maxDelay.known());
            result.text("jitter", "+" + Wait.duration(maxDelay.known() - least));
        } else {
            writeDelay(backoff, delay);
            result.text("jitter", "none");
        }
    }

    /** Translates waits with a multiplier, which grow, up to 30 seconds if no other limit is set. */
    private void growingWaits(AnnotationAttributes backoff, double multiplier, String multiplierExpression) {
        boolean grows = !multiplierExpression.isEmpty() || multiplier > 1;
        Wait delay = delay(backoff);
        Wait maxDelay = maxDelay(backoff, delay);
        if (delay.isKnown()) {
            double least = Math.max(1, delay.known());
            delay = delay.or(maxDelay.isKnown() ? Math.min(least, maxDelay.known()) : least);
        }
        result.text("backoff", grows ? "exponential" : "fixed");
        writeDelay(backoff, delay);
        if (!multiplierExpression.isEmpty()) {
            once(backoff, "multiplierExpression", "multiplierString");
        } else if (grows) {
            result.copy("multiplier", backoff.get("multiplier"));
        }
        maxDelay.write(result, "maxDelay");
        result.text("jitter", grows ? jitter(backoff, multiplier, multiplierExpression) : "none");
    }

    private Wait delay(AnnotationAttributes backoff) {
        return wait(backoff, "delayExpression", backoff.get("delay") != null ? "delay" : "value", Wait.DEFAULT_DELAY);
    }

    private Wait maxDelay(AnnotationAttributes backoff, Wait delay) {
        Wait maxDelay = wait(backoff, "maxDelayExpression", "maxDelay", 0);
        boolean ignored = maxDelay.isKnown() && (maxDelay.known() <= 0 || maxDelay.known() <= delay.known());
        return ignored ? Wait.of(DEFAULT_MAX_DELAY) : maxDelay;
    }

    private Wait wait(AnnotationAttributes backoff, String expression, String number, double absent) {
        return backoff.isSet(expression)
                ? Wait.of(once(expression, backoff.text(expression)), backoff.constant(expression))
                : Wait.of(backoff, number, absent);
    }

    /** Returns the jitter. spring-retry multiplies each wait by a random factor between 1 and the multiplier. */
    private String jitter(AnnotationAttributes backoff, double multiplier, String multiplierExpression) {
        if (!backoff.flag("random")) {
            return "none";
        }
        String jitter = "bounded";
        if (!multiplierExpression.isEmpty() || multiplier > DOUBLING) {
            result.remark("random waits were up to the multiplier times the delay; now they are up to twice the delay");
        } else if (multiplier < DOUBLING) {
            jitter = Wait.percent(multiplier - 1);
            result.remark("random waits were 1 to " + multiplier + " times the delay; now they are within " + jitter
                    + " of the delay");
        }
        return jitter;
    }

    private void writeDelay(AnnotationAttributes backoff, Wait delay) {
        delay.writeDelay(result, backoff.get("delay") != null || backoff.get("value") != null);
    }

    /** Raises RetryOn's cap of five minutes if a wait can be longer. */
    private void writeCap(double longest) {
        if (longest > 300_000) {
            result.text("maxDelay", Wait.duration(longest));
        }
    }

    private void once(AnnotationAttributes attributes, String theirs, String ours) {
        String expression = attributes.text(theirs);
        result.text(ours, once(theirs, expression), expression, attributes.constant(theirs));
    }

    /** Returns an expression that RetryOn resolves when the application starts. */
    private String once(String attribute, String expression) {
        String text = expression.trim();
        if (isTemplate(text) || NUMBER.matcher(text).matches() || Wait.isPlaceholder(text)) {
            return text;
        }
        if (OF_THE_CALL.matcher(text).find()) {
            result.leave(attribute + " depends on the arguments of the call; Retries.with sets values for one call");
        } else {
            result.remark(attribute + " was evaluated for every call; now it is evaluated once, when the application"
                    + " starts");
        }
        return "#{" + text + "}";
    }

    private static boolean isTemplate(String text) {
        return text.contains("#{") && text.contains("}");
    }
}

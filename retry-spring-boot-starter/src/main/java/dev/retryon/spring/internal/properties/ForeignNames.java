// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The names of our settings in other retry libraries, in lower case without dashes, as binding compares names. */
final class ForeignNames {

    private ForeignNames() {}

    /**
     * Translates a setting of another library.
     *
     * @param name the name below a block of settings, with dots between its parts
     * @param value the value, or {@code null} if it is not known
     * @return such as {@code max-attempts: 6}; {@code null} if no known library has the name
     */
    static @Nullable String setting(String name, @Nullable Object value) {
        String text = Objects.toString(value, "").trim();
        return switch (name) {
            case "maxretries", "retries", "maxretryattempts", "retrycount" -> ours("max-attempts", onceMore(text));
            case "attempts", "maxattempt", "maxtries" -> ours("max-attempts", text);
            case "initialinterval",
                    "initialdelay",
                    "interval",
                    "waitduration",
                    "wait",
                    "minbackoff",
                    "firstbackoff",
                    "backoff.delay",
                    "backoff.initialinterval",
                    "backoff.initialdelay",
                    "backoff.value" -> ours("delay", text);
            case "maxinterval",
                    "maxbackoff",
                    "maxwait",
                    "exponentialmaxwaitduration",
                    "backoff.maxdelay",
                    "backoff.maxinterval" -> ours("max-delay", text);
            case "exponentialbackoffmultiplier", "backoffmultiplier", "backoff.multiplier", "factor" ->
                ours("multiplier", text);
            case "randomizedwaitfactor", "jitterfactor", "randomizationfactor" -> ours("jitter", percent(text));
            case "enablerandomizedwait", "random", "backoff.random" -> ours("jitter", text.isEmpty() ? "" : "50%");
            case "enableexponentialbackoff" -> ours("backoff", text.isEmpty() ? "" : "exponential");
            case "retryfor", "retryon", "retryexceptions", "include", "includes", "retryableexceptions" ->
                ours("exceptions", text);
            case "noretryfor", "notretryfor", "aborton", "ignoreexceptions", "exclude", "nonretryableexceptions" ->
                ours("excludes", text);
            case "fallbackmethod", "fallback", "recoverer", "recovery" -> ours("recover", text);
            case "maxduration", "maxelapsedtime", "totaltimeout" -> ours("timeout", text);
            case "retryonresult", "resultpredicate" -> ours("retry-if", text);
            case "exceptionexpression", "condition", "if", "retryexceptionpredicate" -> ours("only-if", text);
            default -> null;
        };
    }

    private static String ours(String name, String value) {
        return name + (value.isEmpty() ? "" : ": " + value);
    }

    /** A block of another library as it is called here; {@code null} if none is known. */
    static @Nullable String block(String name) {
        return switch (name) {
            case "instances", "backends", "configs", "policy" -> "policies";
            case "global" -> "defaults";
            case "limit" -> "limits";
            default -> null;
        };
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
}

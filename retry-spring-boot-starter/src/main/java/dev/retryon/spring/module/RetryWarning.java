// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The warnings that RetryOn logs, mostly at start-up. The number of a warning never changes and is never reused.
 */
public enum RetryWarning {

    /** A property has a fault and is ignored because {@code retryon.checks} is {@code warn}. */
    PROPERTY_IGNORED(1),

    /** A property or environment variable does not match any property of this version. */
    UNKNOWN_PROPERTY(2),

    /** A key of {@code retryon.methods} does not affect any retried method. */
    METHOD_KEY(3),

    /** A pointcut does not select any method that can be retried. */
    POINTCUT(4),

    /** No layer of a method or policy lists an exception to retry. */
    NO_EXCEPTIONS(5),

    /** A setting has no effect because another setting, which it requires, is missing. */
    NO_EFFECT(6),

    /** An exception is listed although it is never retried. */
    NEVER_RETRIED(7),

    // The number 8 was used for error codes.

    /** A delay or the time limit of one attempt is not below the time limit of all attempts together. */
    TIMEOUT(9),

    // The numbers 10, 11 and 12 were used for gates, recovery methods and names.

    /** Another library also retries the method. */
    OTHER_RETRY(13),

    /** A bean with retried methods has no proxy. */
    NO_PROXY(14),

    /** An annotation covers a method that neither a proxy nor an aspect can retry, or covers no method. */
    NOT_RETRIED(15),

    // The number 16 was used for budgets.

    /** An alias of dead letters does not match any retried method. */
    ALIAS(17),

    /** An upper limit reduces the number of attempts. */
    LOWERED(18),

    /** A durable call is stored without some of its caller's settings. */
    STORED_IN_PART(19),

    /** A part of an argument can change when it is stored. RetryOn then rejects the call. */
    ARGUMENT(20),

    /** The database of stored calls can lose them when the process ends. */
    VOLATILE_STORE(21),

    /** A method is retried within a transaction of its caller, which a failed attempt has marked for rollback. */
    ROLLBACK_ONLY(22),

    /** A caller that already uses a connection of the application's pool needs a second connection. */
    SECOND_CONNECTION(23),

    /** Another library locks each attempt, and skips an attempt while the lock is in use. */
    LOCK_PER_ATTEMPT(24),

    /** The database for stored calls has an old version. */
    OLD_DATABASE(25);

    private static final Pattern CODE = Pattern.compile("RETRYON-W(0[1-9]|[1-9]\\d)");

    private final int number;

    private final String code;

    RetryWarning(int number) {
        this.number = number;
        this.code = "RETRYON-W%02d".formatted(number);
    }

    /** Completes a code: both {@code W07} and {@code retryon-w07} become {@code RETRYON-W07}. */
    static String codeOf(String text) {
        return text.trim().toUpperCase(Locale.ROOT).replaceFirst("^(RETRYON-)?", "RETRYON-");
    }

    /** Returns whether a string is the code of a warning, in this version or an earlier one. */
    public static boolean isCode(String text) {
        Matcher code = CODE.matcher(codeOf(text));
        return code.matches() && Integer.parseInt(code.group(1)) <= values()[values().length - 1].number;
    }

    /** Returns the code with which users look up or switch off the warning, such as {@code RETRYON-W07}. */
    public String code() {
        return code;
    }
}

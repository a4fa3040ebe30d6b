// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The warnings that RetryOn logs, most of them when an application starts. The number of a warning never changes and is never used
 * again.
 */
public enum RetryWarning {

    /** A property has a fault and is ignored, because {@code retryon.checks} is {@code warn}. */
    PROPERTY_IGNORED(1),

    /** A property or environment variable names no property of this version. */
    UNKNOWN_PROPERTY(2),

    /** A key of {@code retryon.methods} changes no retried method. */
    METHOD_KEY(3),

    /** A pointcut selects no method that can be retried. */
    POINTCUT(4),

    /** No layer of a method or policy lists an exception. */
    NO_EXCEPTIONS(5),

    /** A setting has no effect without another one, which is not set. */
    NO_EFFECT(6),

    /** An exception is listed that is never retried. */
    NEVER_RETRIED(7),

    // 8 was about error codes.

    /** A delay or a limit of one attempt is not below the limit of all attempts. */
    TIMEOUT(9),

    // 10 was about gates, 11 about recovery methods, 12 about names.

    /** Another library retries the method too. */
    OTHER_RETRY(13),

    /** A bean with retried methods has no proxy. */
    NO_PROXY(14),

    /** An annotation covers a method that no proxy or aspect can retry, or covers no method. */
    NOT_RETRIED(15),

    // 16 was about budgets.

    /** An alias of dead letters names no retried method. */
    ALIAS(17),

    /** A limit lowers the number of attempts. */
    LOWERED(18),

    /** A durable call is stored without some of the settings of its caller. */
    STORED_IN_PART(19),

    /** A part of an argument may change when it is stored; RetryOn then refuses the call. */
    ARGUMENT(20),

    /** The database of stored calls can lose them when the process ends. */
    VOLATILE_STORE(21),

    /** A method is retried within a transaction of its caller, which a failed attempt has marked for rollback. */
    ROLLBACK_ONLY(22),

    /** A caller that holds a connection of the application's pool needs a second one. */
    SECOND_CONNECTION(23),

    /** Another library locks each attempt, and skips an attempt while the lock is held. */
    LOCK_PER_ATTEMPT(24),

    /** The database of stored calls is an old version. */
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

    /** Whether a text is the code of a warning of this version, or of an earlier one. */
    public static boolean isCode(String text) {
        Matcher code = CODE.matcher(codeOf(text));
        return code.matches() && Integer.parseInt(code.group(1)) <= values()[values().length - 1].number;
    }

    /** The code, with which users look the warning up or switch it off, such as {@code RETRYON-W07}. */
    public String code() {
        return code;
    }
}

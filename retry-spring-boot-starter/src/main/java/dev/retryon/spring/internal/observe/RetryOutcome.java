// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The outcome of a call, as meters, logs and endpoints name it. */
public enum RetryOutcome {

    /** The first attempt succeeded. Such a call has no event. */
    SUCCESS,

    SUCCESS_AFTER_RETRY,

    /** The call failed, and a recovery method returned a value to the caller. */
    RECOVERED,

    /** The call failed, and its caller received the error or the rejected value. */
    FAILURE,

    /** The caller gave up before the call had ended: its future was cancelled, or its subscription. */
    CANCELLED;

    private static final String NO_REASON = "none";

    /** Returns {@code null} if the call continues, or another event follows. */
    public static @Nullable RetryOutcome of(RetryEvent event) {
        if (event instanceof RetryFailed failed) {
            return of(failed.reason(), failed.recovered());
        }
        return event instanceof RetrySucceeded ? SUCCESS_AFTER_RETRY : null;
    }

    public static RetryOutcome of(StopReason reason, boolean recovered) {
        if (recovered) {
            return RECOVERED;
        }
        return reason == StopReason.CANCELLED ? CANCELLED : FAILURE;
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static String tag(@Nullable StopReason reason) {
        return reason == null ? NO_REASON : reason.name().toLowerCase(Locale.ROOT);
    }
}

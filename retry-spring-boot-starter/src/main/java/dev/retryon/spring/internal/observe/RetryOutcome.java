/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The end of a call, in the words of meters, logs and endpoints. */
public enum RetryOutcome {

    /** The first attempt succeeded. Such a call has no event. */
    SUCCESS,

    /** A later attempt succeeded. */
    SUCCESS_AFTER_RETRY,

    /** The call failed, and a recovery method returned a value to the caller. */
    RECOVERED,

    /** The call failed, and its caller received the error, or the value that was to be retried. */
    FAILURE,

    /** The caller gave up before the call had ended: its future was cancelled, or its subscription. */
    CANCELLED;

    /** The reason of calls that did not fail: {@value}. */
    public static final String NO_REASON = "none";

    /**
     * Returns the outcome of the call of an event.
     *
     * @param event the event
     * @return the outcome, or {@code null} if another event follows
     */
    public static @Nullable RetryOutcome of(RetryEvent event) {
        if (event instanceof RetryScheduled || event instanceof DeadLettered) {
            return null;
        }
        if (event instanceof RetrySucceeded) {
            return SUCCESS_AFTER_RETRY;
        }
        RetryFailed failed = (RetryFailed) event;
        return of(failed.reason(), failed.recovered());
    }

    /**
     * Returns the outcome of a call that did not succeed.
     *
     * @param reason why it was not, or no longer, retried
     * @param recovered whether a recovery method returned a value to the caller
     * @return the outcome
     */
    public static RetryOutcome of(StopReason reason, boolean recovered) {
        if (recovered) {
            return RECOVERED;
        }
        return reason == StopReason.CANCELLED ? CANCELLED : FAILURE;
    }

    /** The outcome as a tag, such as {@code success_after_retry}. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Why a call ended, as a tag.
     *
     * @param reason the reason, {@code null} if the call did not fail
     * @return such as {@code not_retryable}, or {@value #NO_REASON}
     */
    public static String tag(@Nullable StopReason reason) {
        return reason == null ? NO_REASON : reason.name().toLowerCase(Locale.ROOT);
    }
}

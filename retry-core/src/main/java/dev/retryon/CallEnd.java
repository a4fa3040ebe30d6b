/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The end of a call that failed. Whoever drove the call, its end has the same order: the call is kept as a dead letter,
 * the recovery is asked, the error gets its history, the events are published.
 */
final class CallEnd {

    private final RetryCall call;

    private final StopReason reason;

    /** What the last attempt threw; {@code null} if it returned a value, or the caller gave up. */
    private final @Nullable Throwable last;

    private final @Nullable WeakReference<?> around;

    private @Nullable Object served;

    private @Nullable Throwable thrown;

    private boolean recovered;

    private boolean kept;

    /**
     * Begins the end of a call.
     *
     * @param thrown what the last attempt threw, wrapped as it was; {@code null} if it returned a value
     * @param value what the last attempt returned
     * @param around the call that this one is made in, as {@link CallFrame#around} identifies it
     */
    CallEnd(
            RetryCall call,
            StopReason reason,
            @Nullable Throwable thrown,
            @Nullable Object value,
            @Nullable WeakReference<?> around) {
        this.around = around;
        this.call = call;
        this.reason = reason;
        this.last = thrown;
        this.thrown = thrown;
        this.served = value;
        call.stopped(reason);
    }

    /** Whether the call is to be kept as a dead letter, which may block. */
    boolean isToBeKept() {
        return switch (reason) {
            case DISCARD, CANCELLED, INTERRUPTED -> false;
            case DEAD_LETTER -> true;
            // The error of a call that was taken over has no receiver.
            case FAIL -> call.isResumed();
            default -> call.isResumed() || call.settings().policy().onExhaustion() == OnExhaustion.DEAD_LETTER;
        };
    }

    /** First step: keeps the call, if it is to be kept. */
    void keep() {
        CallSettings settings = call.settings();
        if (!isToBeKept()) {
            if (reason == StopReason.DISCARD) {
                settings.ended(call, true);
            }
            return;
        }
        DeadLetterQueue queue = settings.engine().deadLetters();
        try {
            if (queue == null) {
                throw new IllegalStateException("the engine has no DeadLetterQueue");
            }
            settings.keep(call, call.failedFor(reason), queue);
            kept = true;
        } catch (Throwable ex) {
            settings.notKept(ex, last);
        }
    }

    /** Second step: asks the recovery, if there is one that may serve the caller. */
    void recover() {
        Throwable failure = last;
        if (failure == null || call.settings().recovery() == null || !isRecoverable(failure)) {
            return;
        }
        try {
            recovered(call.recover(failure, reason), null);
        } catch (Throwable ex) {
            recovered(null, ex);
        }
    }

    /** What came of the recovery; called again by a driver whose recovery has returned a stage, when that has completed. */
    void recovered(@Nullable Object value, @Nullable Throwable error) {
        served = value;
        thrown = error;
        recovered = error == null;
        if (error != null && last != null) {
            Suppression.add(error, last);
        }
    }

    /** Last step: leaves the history in the error and publishes the events. */
    void close() {
        if (last != null) {
            call.leaveHistory(last, reason, around);
        }
        if (kept) {
            call.publishDeadLetter(reason);
        }
        call.publishFailure(reason, recovered);
    }

    /** Whether the call was kept. */
    boolean isKept() {
        return kept;
    }

    /** Whether a recovery has served the caller, as far as is known. */
    boolean isRecovered() {
        return recovered;
    }

    /** What the caller gets if nothing is {@linkplain #thrown() thrown}. */
    @Nullable Object value() {
        return served;
    }

    /** What is thrown at the caller; {@code null} for nothing. */
    @Nullable Throwable thrown() {
        return thrown;
    }

    /** Whether a recovery may serve the caller of a call that ends like this. */
    private boolean isRecoverable(Throwable failure) {
        return switch (reason) {
            case NOT_RETRYABLE -> call.settings().policy().matcher().recovers(failure);
            case INTERRUPTED, CANCELLED, DISCARD, FAIL, UNRESOLVABLE -> false;
            case EXHAUSTED, REJECTED, DELAY_TOO_LONG, TIMEOUT, BUDGET, SHUTDOWN, SWITCHED_OFF, DEAD_LETTER -> true;
        };
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.RetryFaultListener.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous calls of an engine that wait for their next attempt, so that shutdown can end them. Those on the engine's
 * own timer are kept by the timer alone, which saves 40 bytes a call; those on a lent timer, or in the queue of an executor,
 * are kept here, because both may drop what they hold.
 */
final class PendingRetries {

    private final Faults faults;

    private final RetryTimer timer;

    private final @Nullable DaemonTimer own;

    private final Set<PendingRetry> elsewhere = ConcurrentHashMap.newKeySet();

    PendingRetries(RetryTimer timer, Faults faults) {
        this.faults = faults;
        this.timer = timer;
        this.own = timer instanceof DaemonTimer daemon ? daemon : null;
    }

    void schedule(TimedRetry wait, Duration delay) {
        if (own != null) {
            own.schedule(wait, delay);
        } else {
            elsewhere.add(wait);
            wait.handle = timer.schedule(wait, delay);
        }
    }

    void unschedule(TimedRetry wait) {
        if (own != null) {
            own.cancel(wait);
            return;
        }
        elsewhere.remove(wait);
        RetryTimer.Handle handle = wait.handle;
        if (handle != null) {
            cancel(handle);
        }
    }

    void add(PendingRetry pending) {
        elsewhere.add(pending);
    }

    void remove(PendingRetry pending) {
        elsewhere.remove(pending);
    }

    /** Takes a task back from a timer, which may be one of the user's and fail. */
    void cancel(RetryTimer.Handle handle) {
        try {
            handle.cancel();
        } catch (Throwable ex) {
            faults.report(Source.WAIT, RetryFaultListener.ANY, "a timer failed to take a task back", ex);
        }
    }

    /** Ends the waits of calls that a switch has turned off; returns the calls that have to be ended. */
    List<PendingRetry> claim(RetrySwitch retrySwitch) {
        List<PendingRetry> all = new ArrayList<>(elsewhere);
        if (own != null) {
            all.addAll(own.scheduled(TimedRetry.class));
        }
        all.removeIf(pending -> !pending.endsWith(retrySwitch) || !pending.claim());
        return all;
    }

    /** Ends all waits at once; returns the calls that have to be ended. */
    List<PendingRetry> close() {
        List<PendingRetry> all = new ArrayList<>(elsewhere);
        if (own != null) {
            all.addAll(own.close(TimedRetry.class));
        }
        all.removeIf(pending -> !pending.claim());
        return all;
    }
}

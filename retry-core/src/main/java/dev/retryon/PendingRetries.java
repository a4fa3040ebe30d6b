// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The waiting asynchronous calls of an engine, so that shutdown can end them. The engine's own timer keeps its calls
 * itself, which saves 40 bytes per call. Calls in a custom timer or in the queue of an executor are kept here,
 * because both may drop tasks.
 */
final class PendingRetries {

    private final ExtensionErrorReporter extensionErrors;

    private final RetryTimer timer;

    private final @Nullable DaemonTimer own;

    private final Set<PendingRetry> elsewhere = ConcurrentHashMap.newKeySet();

    PendingRetries(RetryTimer timer, ExtensionErrorReporter extensionErrors) {
        this.extensionErrors = extensionErrors;
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

    /** Cancels a task of a timer. A custom timer may throw. */
    void cancel(RetryTimer.Handle handle) {
        try {
            handle.cancel();
        } catch (Throwable ex) {
            extensionErrors.report(Source.WAIT, ExtensionErrorListener.ANY, "a timer failed to cancel a task", ex);
        }
    }

    /** Ends the delays of calls whose switch was turned off, and returns these calls. */
    List<PendingRetry> claim(RetrySwitch retrySwitch) {
        List<PendingRetry> all = new ArrayList<>(elsewhere);
        if (own != null) {
            all.addAll(own.scheduled(TimedRetry.class));
        }
        all.removeIf(pending -> !pending.endsWith(retrySwitch) || !pending.claim());
        return all;
    }

    /** Ends all delays, and returns the calls to end. */
    List<PendingRetry> close() {
        List<PendingRetry> all = new ArrayList<>(elsewhere);
        if (own != null) {
            all.addAll(own.close(TimedRetry.class));
        }
        all.removeIf(pending -> !pending.claim());
        return all;
    }
}

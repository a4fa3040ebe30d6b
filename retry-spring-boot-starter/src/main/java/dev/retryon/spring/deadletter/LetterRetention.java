/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.deadletter;

import dev.retryon.RetryFaultListener;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.settings.RuntimeFaults;
import dev.retryon.spring.settings.StarterLog;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Deletes dead letters that are too old or too many: once the application has started, and every ten minutes from then on. A
 * store that fails is counted, and asked again the next time.
 */
final class LetterRetention implements SmartLifecycle {

    private static final Duration PAUSE = Duration.ofMinutes(10);

    /** How long the shutdown waits for what is being deleted. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final @Nullable Duration maxAge;

    private final @Nullable Long maxCount;

    private final Supplier<DeadLetterStore> store;

    private final RuntimeFaults faults;

    private final Clock clock;

    private @Nullable ScheduledThreadPoolExecutor thread;

    LetterRetention(
            @Nullable Duration maxAge,
            @Nullable Long maxCount,
            Supplier<DeadLetterStore> store,
            RuntimeFaults faults,
            Clock clock) {
        this.maxAge = maxAge;
        this.maxCount = maxCount;
        this.store = store;
        this.faults = faults;
        this.clock = clock;
    }

    @Override
    public synchronized void start() {
        if (thread != null || (maxAge == null && maxCount == null)) {
            return;
        }
        CustomizableThreadFactory threads = new CustomizableThreadFactory("retryon-retention-");
        threads.setDaemon(true);
        thread = new ScheduledThreadPoolExecutor(1, threads);
        var unused = thread.scheduleWithFixedDelay(this::delete, 0, PAUSE.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void delete() {
        try {
            int deleted = store.get()
                    .delete(
                            maxAge == null ? null : clock.instant().minus(maxAge),
                            maxCount == null ? Long.MAX_VALUE : maxCount);
            if (deleted > 0) {
                StarterLog.info(deleted + " dead letters were deleted, as retryon.dead-letter.retention says");
            }
        } catch (Throwable ex) {
            if (isRunning()) {
                faults.report(
                        RuntimeFaults.Kind.STORE,
                        RetryFaultListener.ANY,
                        "dead letters that are too old or too many could not be deleted; this is tried again",
                        ex);
            }
        }
    }

    @Override
    public void stop() {
        ScheduledThreadPoolExecutor stopping;
        synchronized (this) {
            stopping = thread;
            thread = null;
        }
        if (stopping == null) {
            return;
        }
        // Some databases close a file whose reader is interrupted.
        stopping.shutdown();
        try {
            var unused = stopping.awaitTermination(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryTimer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Runs what writes the lines that were held back. Not the engine's timer: an appender may hang, and no wait of a call may
 * be held up by it. The thread is there only while lines are held back.
 */
final class LogTimer implements RetryTimer, AutoCloseable {

    private @Nullable ScheduledThreadPoolExecutor executor;

    private boolean closed;

    @Override
    public Handle schedule(Runnable task, Duration delay) {
        Future<?> future = executor().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private synchronized ScheduledThreadPoolExecutor executor() {
        if (closed) {
            throw new RejectedExecutionException("closed");
        }
        ScheduledThreadPoolExecutor known = executor;
        if (known == null) {
            CustomizableThreadFactory daemons = new CustomizableThreadFactory("retryon-log-");
            daemons.setDaemon(true);
            known = new ScheduledThreadPoolExecutor(1, daemons);
            known.setKeepAliveTime(5, TimeUnit.SECONDS);
            known.allowCoreThreadTimeOut(true);
            executor = known;
        }
        return known;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (executor != null) {
            executor.shutdownNow();
        }
    }
}

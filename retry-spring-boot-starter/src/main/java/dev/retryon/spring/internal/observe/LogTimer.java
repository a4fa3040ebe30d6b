/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryTimer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Writes the lines that waited. It is not the engine's timer, because an appender may hang and must not delay calls. The thread
 * exists only while lines wait.
 */
final class LogTimer implements RetryTimer, AutoCloseable {

    private final ScheduledThreadPoolExecutor executor;

    LogTimer() {
        CustomizableThreadFactory daemons = new CustomizableThreadFactory("retryon-log-");
        daemons.setDaemon(true);
        executor = new ScheduledThreadPoolExecutor(1, daemons);
        executor.setKeepAliveTime(5, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public Handle schedule(Runnable task, Duration delay) {
        Future<?> future = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}

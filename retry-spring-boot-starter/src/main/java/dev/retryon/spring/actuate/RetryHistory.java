/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.RetryFaultListener;
import dev.retryon.spring.settings.BackgroundTasks;
import dev.retryon.spring.settings.RuntimeFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.SmartLifecycle;

/**
 * Remembers the last 15 minutes of what is counted, for the dashboard: every ten seconds it reads the counters, of which calls
 * know nothing. A name that is called takes about 1 KB, one that is not takes none. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryHistory implements SmartLifecycle {

    /** How often the counters are read: every 10 seconds. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    /** How many readings are kept: those of 15 minutes. */
    static final int SAMPLES = 90;

    private final RetryTotals totals;

    private final RuntimeFaults faults;

    private final Object lock = new Object();

    private final Map<Object, Series> calls = new HashMap<>();

    private final Map<Object, Series> retries = new HashMap<>();

    private final Map<Object, Series> failures = new HashMap<>();

    private final Map<Object, Series> causes = new HashMap<>();

    private final BackgroundTasks tasks = new BackgroundTasks("retryon-history-");

    /**
     * Creates an empty history.
     *
     * @param endpoint counts
     * @param faults where it is reported if the counters can't be read
     */
    public RetryHistory(RetryOnEndpoint endpoint, RuntimeFaults faults) {
        this.totals = endpoint.totals();
        this.faults = faults;
    }

    @Override
    public void start() {
        tasks.start(new BackgroundTasks.Task(this::sampleSafely, INTERVAL, INTERVAL));
    }

    @Override
    public void stop() {
        tasks.stop();
    }

    @Override
    public boolean isRunning() {
        return tasks.isRunning();
    }

    private void sampleSafely() {
        try {
            sample();
        } catch (Throwable ex) {
            faults.report(
                    RuntimeFaults.Kind.METER,
                    RetryFaultListener.ANY,
                    "the history of the dashboard could not be kept",
                    ex);
        }
    }

    /** Ends an interval and begins the next one. */
    void sample() {
        synchronized (lock) {
            for (String name : totals.names()) {
                RetryTotals.OfName now = totals.of(name);
                end(calls, name, now.calls());
                end(retries, name, now.retries());
                end(failures, name, now.failures());
            }
            totals.causes().forEach((cause, total) -> end(causes, cause, total));
        }
    }

    private static void end(Map<Object, Series> all, Object key, long total) {
        Series known = all.get(key);
        if (known == null && total > 0) {
            known = new Series();
            all.put(key, known);
        }
        if (known != null) {
            known.end(total);
        }
    }

    /** How often something has occurred in each interval, the current one last; intervals before the first one are missing. */
    List<Integer> calls(String name, long total) {
        return of(calls, name, total);
    }

    List<Integer> retries(String name, long total) {
        return of(retries, name, total);
    }

    List<Integer> failures(String name, long total) {
        return of(failures, name, total);
    }

    long recently(RetryStatistics.Cause cause, long total) {
        return of(causes, cause, total).stream().mapToLong(Integer::longValue).sum();
    }

    private List<Integer> of(Map<Object, Series> all, Object key, long total) {
        synchronized (lock) {
            Series known = all.get(key);
            if (known != null) {
                return known.until(total);
            }
            return total > 0 ? List.of((int) Math.min(total, Integer.MAX_VALUE)) : List.of();
        }
    }

    /** A ring of differences. */
    private static final class Series {

        private final int[] ring = new int[SAMPLES];

        private int next;

        private long last;

        void end(long total) {
            ring[next] = difference(total);
            next = (next + 1) % SAMPLES;
            last = total;
        }

        private int difference(long total) {
            return (int) Math.max(0, Math.min(total - last, Integer.MAX_VALUE));
        }

        List<Integer> until(long total) {
            List<Integer> values = new ArrayList<>(SAMPLES + 1);
            for (int i = 0; i <= SAMPLES; i++) {
                int value = i == SAMPLES ? difference(total) : ring[(next + i) % SAMPLES];
                if (value > 0 || !values.isEmpty()) {
                    values.add(value);
                }
            }
            return values;
        }
    }
}

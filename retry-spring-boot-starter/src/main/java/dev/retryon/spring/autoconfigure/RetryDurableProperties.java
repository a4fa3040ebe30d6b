/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.durable.DurableSettings;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.store.StoreChoice;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/** Calls that survive the process. Knows nothing of JDBC and of the engine, which may not be there. */
class RetryDurableProperties {

    private static final Duration SHORTEST = Duration.ofMillis(50);

    private static final Duration LONGEST = Duration.ofHours(1);

    /** Where calls are kept: in the application's database, or in a file of their own. */
    private StoreChoice.Mode store = StoreChoice.Mode.AUTO;

    /**
     * Name of the application whose calls, dead letters and shared settings this process uses. Applications that share a
     * database need different names. Defaults to "spring.application.name", or to "retryon" if that is not set.
     */
    private @Nullable String application;

    /** The file of the embedded store. */
    private String path = "./retryon.db";

    /**
     * Whether the retry of a call is stored in the transaction of its caller, and rolled back with it, or in a transaction of its
     * own.
     */
    private DurableSettings.Transaction transaction = DurableSettings.Transaction.REQUIRES_NEW;

    /** Whether calls of Durable.OUTBOX, and retries that join transactions, may be stored apart from a transaction that the store takes no part in. */
    private boolean outboxApart;

    /** How many calls this process makes at a time. */
    private int threads = 5;

    /** How often this process looks for calls that are due. Calls that it has stored itself, and that are due within that time, start on time in any case. */
    private Duration pollInterval = Duration.ofSeconds(1);

    /** How often this process confirms its hold on calls that it makes; without four of them in a row the hold lapses. */
    private Duration heartbeatInterval = Duration.ofSeconds(10);

    /** Time that a call waits while no running process of the application knows its method, before it becomes a dead letter. */
    private Duration unresolvedAfter = Duration.ofHours(1);

    public StoreChoice.Mode getStore() {
        return store;
    }

    public void setStore(StoreChoice.Mode store) {
        this.store = store;
    }

    public @Nullable String getApplication() {
        return application;
    }

    public void setApplication(@Nullable String application) {
        this.application = application;
    }

    /** The name that is set, or that of Spring Boot. */
    @Nullable String application(Environment environment) {
        return StringUtils.hasText(application) ? application : environment.getProperty("spring.application.name");
    }

    public DurableSettings.Transaction getTransaction() {
        return transaction;
    }

    public void setTransaction(DurableSettings.Transaction transaction) {
        this.transaction = transaction;
    }

    public boolean isOutboxApart() {
        return outboxApart;
    }

    public void setOutboxApart(boolean outboxApart) {
        this.outboxApart = outboxApart;
    }

    public int getThreads() {
        return threads;
    }

    public void setThreads(int threads) {
        this.threads = threads;
    }

    public Duration getPollInterval() {
        return pollInterval;
    }

    public void setPollInterval(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    public Duration getHeartbeatInterval() {
        return heartbeatInterval;
    }

    public void setHeartbeatInterval(Duration heartbeatInterval) {
        this.heartbeatInterval = heartbeatInterval;
    }

    public Duration getUnresolvedAfter() {
        return unresolvedAfter;
    }

    public void setUnresolvedAfter(Duration unresolvedAfter) {
        this.unresolvedAfter = unresolvedAfter;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }

    /** Records what is wrong. */
    void check(RetryFaults faults) {
        if (threads < 1) {
            faults.add("retryon.durable.threads", "is '" + threads + "', but must be at least 1");
        }
        checkInterval("poll-interval", pollInterval, faults);
        checkInterval("heartbeat-interval", heartbeatInterval, faults);
        if (unresolvedAfter.isNegative()) {
            faults.add("retryon.durable.unresolved-after", "is '" + unresolvedAfter + "', but must not be negative");
        }
    }

    private static void checkInterval(String name, Duration interval, RetryFaults faults) {
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            faults.add(
                    "retryon.durable." + name,
                    "is '" + DurationText.print(interval) + "', but must be from 50ms to 1h");
        }
    }

    DurableSettings toSettings(DataSize maxArguments) {
        return new DurableSettings(
                transaction == DurableSettings.Transaction.JOIN, outboxApart, unresolvedAfter, maxArguments.toBytes());
    }

    DurableSettings.Engine toEngineSettings(Duration shutdownTimeout) {
        // It is waited once for running calls, and once more when they were interrupted.
        return new DurableSettings.Engine(threads, pollInterval, heartbeatInterval, shutdownTimeout.dividedBy(2));
    }
}

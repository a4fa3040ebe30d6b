/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import dev.retryon.spring.store.RetryStore;
import dev.retryon.spring.store.StoreChoice;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The engine of the starter: db-scheduler, with a table of its own. Neither the scheduler nor its task is a bean, so that it
 * and a db-scheduler of the application do not meet.
 *
 * <p>The scheduler finds calls that are due, holds them, confirms the holds, and finds calls whose holder is gone. What comes of
 * a call is written in the transaction of the worker.
 */
final class DbSchedulerEngine implements CallEngine {

    /** The number of heartbeats in a row that may fail before a hold lapses; the scheduler allows no fewer. */
    private static final int MISSED_HEARTBEATS = 4;

    /** The longest name that the scheduler keeps, in characters. */
    private static final int NAME_LENGTH = 50;

    private final DurableSettings.Engine settings;

    private final StoreChoice store;

    private volatile @Nullable Open opened;

    private @Nullable Running running;

    /** What needs the store. */
    private record Open(RetryStore store, CallTable table, CallLedger ledger) {}

    private record Running(Scheduler scheduler, ScheduledExecutorService alarms) {}

    /**
     * Creates an engine, which opens the store when it first needs it.
     *
     * @param store the store
     * @param settings how it works
     */
    DbSchedulerEngine(StoreChoice store, DurableSettings.Engine settings) {
        this.settings = settings;
        this.store = store;
    }

    /** Without a lock, because the store may be the first to need beans. */
    private Open open() {
        Open known = opened;
        if (known == null) {
            RetryStore chosen = store.get();
            CallTable table = new CallTable(chosen, this::look);
            known = new Open(chosen, table, new JdbcCallLedger(chosen, table.dialect()));
            opened = known;
        }
        return known;
    }

    @Override
    public void add(String id, byte[] call, Label label, Instant due) {
        open().table().add(id, call, label, due);
    }

    @Override
    public void wake(Instant due) {
        Running now = running();
        if (now == null) {
            return;
        }
        Duration wait = Duration.between(Instant.now(), due);
        if (wait.isNegative() || wait.isZero()) {
            now.scheduler().triggerCheckForDueExecutions();
        } else if (wait.compareTo(settings.pollInterval()) < 0) {
            // The scheduler would look a moment too late.
            try {
                var unused = now.alarms()
                        .schedule(now.scheduler()::triggerCheckForDueExecutions, wait.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ex) {
                return; // it was stopped
            }
        }
    }

    /** Looks for due calls at once, or right after a look that is under way. */
    private void look() {
        Running now = running();
        if (now != null) {
            now.scheduler().triggerCheckForDueExecutions();
        }
    }

    private synchronized @Nullable Running running() {
        return running;
    }

    @Override
    public void start(Consumer<CallLease> worker) {
        Open now = open();
        synchronized (this) {
            if (running == null) {
                Scheduler scheduler = scheduler(now, worker);
                running = new Running(scheduler, Executors.newSingleThreadScheduledExecutor(threads("retryon-alarm-")));
                scheduler.start();
            }
        }
    }

    private Scheduler scheduler(Open opened, Consumer<CallLease> worker) {
        CallTable table = opened.table();
        SchedulerBuilder scheduler = Scheduler.create(opened.store().dataSource(), List.of(CallTask.of(table, worker)))
                .tableName(RetryStore.CALLS)
                .schedulerName(new SchedulerName.Fixed(processName()))
                .serializer(new Bytes())
                .jdbcCustomization(table.dialect())
                .threads(settings.threads())
                .executorService(Executors.newFixedThreadPool(settings.threads(), threads("retryon-worker-")))
                .dueExecutor(Executors.newSingleThreadExecutor(threads("retryon-due-")))
                .housekeeperExecutor(Executors.newScheduledThreadPool(2, threads("retryon-housekeeper-")))
                .pollingInterval(settings.pollInterval())
                .heartbeatInterval(settings.heartbeatInterval())
                .missedHeartbeatsLimit(MISSED_HEARTBEATS)
                .shutdownMaxWait(settings.shutdownWait());
        // Slow calls may hold all threads but one: the scheduler, which rounds down, looks for more once one is free.
        double lookBelow = 1.0 - 0.5 / settings.threads();
        // What is held is run at once: above 1.0, held calls would wait in a queue, where their hold is not confirmed.
        return table.dialect().supportsSingleStatementLockAndFetch()
                ? scheduler.pollUsingLockAndFetch(lookBelow, 1.0).build()
                : scheduler.pollUsingFetch(lookBelow, 3.0).build();
    }

    /** Unique, because a process must not take itself for the one that ran on the machine before. */
    private static String processName() {
        String id = UUID.randomUUID().toString();
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            host = "unknown";
        }
        return host.substring(0, Math.min(host.length(), NAME_LENGTH - id.length() - 1)) + '-' + id;
    }

    /** Daemons: an application ends when its own threads do, and its context stops the engine. */
    private static ThreadFactory threads(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }

    @Override
    public void stop() {
        Running now;
        synchronized (this) {
            now = running;
            running = null;
        }
        if (now != null) {
            now.alarms().shutdownNow();
            now.scheduler().stop();
        }
    }

    @Override
    public Backlog backlog() {
        return open().table().backlog();
    }

    @Override
    public CallLedger ledger() {
        return open().ledger();
    }

    /** The data of a call is what the worker makes of it; the scheduler does not look into it. */
    private static final class Bytes implements Serializer {

        @Override
        public byte[] serialize(Object data) {
            return (byte[]) data;
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] data) {
            return type.cast(data != null ? data : new byte[0]);
        }
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.CallLease;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The engine of the starter: db-scheduler, with a table of its own. Neither the scheduler nor its task is a bean, so that it
 * and a db-scheduler of the application do not meet.
 *
 * <p>The scheduler finds due calls, leases them, and confirms the leases. The engine itself finds calls whose process is gone,
 * because the scheduler would look at those of other applications too, and delete them some day. The worker writes the outcome
 * of a call in its own transaction.
 *
 * <p>When the scheduler can't work, because the database is down or full, the engine pauses it and tries the table
 * until it takes writes again. The scheduler itself would log an error at each poll.
 */
final class DbSchedulerEngine implements CallEngine {

    /** The number of heartbeats in a row that may fail before a lease expires. */
    static final int MISSED_HEARTBEATS = 4;

    /** The age at which the scheduler itself takes a call for dead: never. */
    private static final Duration FOREVER = Duration.ofDays(36_500);

    /** The longest pause between two tries of a table that can't be used. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** The longest name that the scheduler keeps, in characters. */
    private static final int NAME_LENGTH = 50;

    private final DurableSettings.Engine settings;

    private final StoreChoice store;

    private final ExtensionErrors faults;

    private final ThreadFactory workerThreads = threads("retryon-worker-");

    private final AtomicBoolean paused = new AtomicBoolean();

    private volatile @Nullable String problem;

    private volatile @Nullable Open opened;

    private @Nullable Running running;

    /** What needs the store. */
    private record Open(RetryStore store, DueCalls due, CallTable table, CallLedger ledger) {}

    private record Running(Scheduler scheduler, ScheduledExecutorService alarms) {}

    /**
     * Creates an engine, which opens the store when it first needs it.
     *
     * @param store the store
     * @param settings how it works
     * @param faults receives failures of the store
     */
    DbSchedulerEngine(StoreChoice store, DurableSettings.Engine settings, ExtensionErrors faults) {
        this.settings = settings;
        this.store = store;
        this.faults = faults;
    }

    /** Without a lock, because the store may be the first to need beans. */
    private Open open() {
        Open known = opened;
        if (known == null) {
            RetryStore chosen = store.get();
            DueCalls due = new DueCalls(chosen.application(), this::look, this::pause);
            CallTable table = new CallTable(chosen, due);
            known = new Open(chosen, due, table, new JdbcCallLedger(chosen, table.dialect()));
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

    /** Makes calls due again whose process is gone. */
    private void revive() {
        if (running() == null || paused.get()) {
            return;
        }
        Instant now = Instant.now();
        try {
            open().table().revive(now.minus(settings.heartbeatInterval().multipliedBy(MISSED_HEARTBEATS)), now);
        } catch (RuntimeException ex) {
            report("calls of stopped processes could not be taken over; the worker tries again", ex);
        }
    }

    /** Pauses the scheduler until the table takes writes. The reason may hide what the database has said. */
    private void pause(@Nullable RuntimeException reason) {
        Running now = running();
        if (now != null && paused.compareAndSet(false, true)) {
            now.scheduler().pause();
            tryLater(now, reason);
        }
    }

    private void unusable(RuntimeException reason) {
        if (problem == null) {
            report("due calls can't be read; the worker continues when the database accepts writes again", reason);
        }
        problem =
                String.valueOf(NestedExceptionUtils.getMostSpecificCause(reason).getMessage());
    }

    private void tryLater(Running now, @Nullable RuntimeException reason) {
        Duration pause = settings.pollInterval().compareTo(LONGEST_PAUSE) < 0 ? settings.pollInterval() : LONGEST_PAUSE;
        try {
            var unused = now.alarms().schedule(() -> tryAgain(now, reason), pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            return; // it was stopped
        }
    }

    private void tryAgain(Running now, @Nullable RuntimeException reason) {
        if (!now.equals(running())) {
            return;
        }
        try {
            open().store().tryWrites(RetryStore.CALLS);
        } catch (RuntimeException ex) {
            if (now.equals(running())) {
                unusable(ex);
                tryLater(now, null);
            }
            return;
        }
        if (reason != null) {
            report("due calls could not be read; the worker tries again", reason);
        }
        problem = null;
        paused.set(false);
        now.scheduler().resume();
        now.scheduler().triggerCheckForDueExecutions();
    }

    private void report(String sentence, RuntimeException ex) {
        if (running() != null) {
            faults.report(ExtensionErrors.Kind.STORE, "stored calls", sentence, ex);
        }
    }

    /** Runs what the scheduler does at intervals. While it is paused, only leases are confirmed. */
    private final class Housekeeper extends ScheduledThreadPoolExecutor {

        Housekeeper() {
            super(2, threads("retryon-housekeeper-"));
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
            boolean confirms =
                    unit.toMillis(delay) <= settings.heartbeatInterval().toMillis();
            Runnable guarded = () -> {
                if (!paused.get()) {
                    command.run();
                }
            };
            return super.scheduleWithFixedDelay(confirms ? command : guarded, initial, delay, unit);
        }
    }

    /** Errors of the scheduler that nothing else sees: it logs each of them. */
    private final class Errors extends AbstractSchedulerListener {

        @Override
        public void onSchedulerEvent(SchedulerEventType type) {
            if (type == SchedulerEventType.UNEXPECTED_ERROR) {
                pause(null);
            }
        }
    }

    @Override
    public @Nullable String problem() {
        return problem;
    }

    @Override
    public boolean skip(String name, Duration time) {
        return open().due()
                .skip(RetryStore.storable(name.substring(0, Math.min(name.length(), RetryStore.LONGEST_NAME))), time);
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
                paused.set(false);
                problem = null;
                scheduler.start();
                Duration lapsed = settings.heartbeatInterval().multipliedBy(2);
                var unused = running.alarms()
                        .scheduleWithFixedDelay(this::revive, 0, lapsed.toNanos(), TimeUnit.NANOSECONDS);
            }
        }
    }

    private Scheduler scheduler(Open opened, Consumer<CallLease> worker) {
        CallTable table = opened.table();
        int missedLimit = (int) Math.min(Integer.MAX_VALUE, FOREVER.dividedBy(settings.heartbeatInterval()));
        SchedulerBuilder scheduler = Scheduler.create(
                        opened.store().dataSource(), List.of(CallTask.of(table, worker, missedLimit)))
                .tableName(RetryStore.CALLS)
                .schedulerName(new SchedulerName.Fixed(processName()))
                .serializer(new Bytes())
                .jdbcCustomization(table.dialect())
                .threads(settings.threads())
                .executorService(Executors.newFixedThreadPool(settings.threads(), this::workerThread))
                .dueExecutor(Executors.newSingleThreadExecutor(threads("retryon-due-")))
                .housekeeperExecutor(new Housekeeper())
                // Pools may give connections that do not commit by themselves; others are not affected.
                .commitWhenAutocommitDisabled(true)
                .pollingInterval(settings.pollInterval())
                .heartbeatInterval(settings.heartbeatInterval())
                .missedHeartbeatsLimit(missedLimit)
                .deleteUnresolvedAfter(FOREVER)
                .addSchedulerListener(new Errors())
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

    /** Where the scheduler reserves each call by itself, a worker's thread ends with the error of a database that refuses it. */
    private Thread workerThread(Runnable work) {
        Thread thread = workerThreads.newThread(work);
        thread.setUncaughtExceptionHandler((ended, ex) -> pause(ex instanceof RuntimeException reason ? reason : null));
        return thread;
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

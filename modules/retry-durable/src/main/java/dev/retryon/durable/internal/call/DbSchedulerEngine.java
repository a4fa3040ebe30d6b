// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.store.CallDialect;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.NodeName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Stores calls in a table of the database, where db-scheduler finds them. Neither the scheduler nor its task is a bean, so
 * that a db-scheduler of the application is not affected.
 *
 * <p>The scheduler finds due calls, leases them, and confirms the leases. The engine itself finds calls whose process has
 * ended, because the scheduler would also check the calls of other applications and eventually delete them. The worker
 * writes the outcome of a call in its own transaction.
 *
 * <p>When the scheduler cannot work, because the database is down or full, the engine pauses the scheduler and tries the
 * table until it accepts writes again. The scheduler itself would log an error at each poll.
 */
public final class DbSchedulerEngine implements CallEngine {

    /** The number of consecutive heartbeats that can fail before a lease expires. */
    static final int MISSED_HEARTBEATS = 4;

    /** The longest pause between two checks of an unusable table. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private static final Duration REPAIR = Duration.ofMinutes(10);

    /** The age at which the scheduler itself treats a call as dead: never. */
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final int NAME_LENGTH = 50;

    private final DurableSettings settings;

    private final LookUp<CallTable> table;

    private final ExtensionErrors errors;

    private final AtomicBoolean paused = new AtomicBoolean();

    private volatile @Nullable String problem;

    private @Nullable Run running;

    /** Opens the store when it is first needed. */
    public DbSchedulerEngine(StoreChoice store, DurableSettings settings, ExtensionErrors errors) {
        this.settings = settings;
        this.table = new LookUp<>(() -> open(store.get()));
        this.errors = errors;
    }

    private CallTable open(RetryStore store) {
        store.lines().onFreed(next -> wake(new DueCalls.Kind(next.lane(), next.method()), next.due()));
        return new CallTable(store);
    }

    @Override
    public boolean add(@Nullable String key, String id, byte[] call, Label label, Instant due) {
        return table.get().add(key, id, call, label, due);
    }

    @Override
    public void addInOrder(String key, String id, byte[] call, Label label, Instant due) {
        table.get().addInOrder(key, id, call, label, due);
    }

    @Override
    public Transactions transactions() {
        return table.get().store();
    }

    @Override
    public void wake(Label label, Instant due) {
        wake(new DueCalls.Kind(label.lane(), label.method()), due);
    }

    private void wake(DueCalls.Kind kind, Instant due) {
        wake(kind.lane(), due, looks -> looks.stored(kind, due));
    }

    @Override
    public void wake(String lane, Instant due) {
        wake(lane, due, DueCalls::lookAtAll);
    }

    private void wake(String lane, Instant due, Consumer<DueCalls> change) {
        String pool = settings.lanes().pool(lane);
        Run now = running();
        DueCalls looks = now == null ? null : now.due.get(pool);
        if (now == null || looks == null) {
            return;
        }
        change.accept(looks);
        Duration wait = Duration.between(Instant.now(), due);
        if (wait.compareTo(settings.pollInterval()) < 0) {
            now.look(pool, wait);
        }
    }

    private void repairOrder() {
        if (running() == null || paused.get()) {
            return;
        }
        try {
            table.get().store().lines().repair();
        } catch (RuntimeException ex) {
            report("the order of calls could not be checked; the worker will try again", ex);
        }
    }

    /** Makes calls due again if their process has ended. */
    private void revive() {
        if (running() == null || paused.get()) {
            return;
        }
        Instant now = Instant.now();
        try {
            table.get().revive(now.minus(settings.heartbeatInterval().multipliedBy(MISSED_HEARTBEATS)), now);
        } catch (RuntimeException ex) {
            pause(ex); // the search for due calls will fail as well, and one cause must give one message
        }
    }

    /** Pauses the scheduler until the table accepts writes. The reason might hide the database's message. */
    private void pause(@Nullable RuntimeException reason) {
        Run now = running();
        if (now != null && paused.compareAndSet(false, true)) {
            now.all(Scheduler::pause);
            tryLater(now, reason);
        }
    }

    private void unusable(RuntimeException reason) {
        if (problem == null) {
            report("due calls cannot be read; the worker continues when the database accepts writes again", reason);
        }
        problem =
                String.valueOf(NestedExceptionUtils.getMostSpecificCause(reason).getMessage());
    }

    private void tryLater(Run now, @Nullable RuntimeException reason) {
        Duration pause = settings.pollInterval().compareTo(LONGEST_PAUSE) < 0 ? settings.pollInterval() : LONGEST_PAUSE;
        now.later(pause, () -> tryAgain(now, reason));
    }

    private void tryAgain(Run now, @Nullable RuntimeException reason) {
        if (now != running()) {
            return;
        }
        try {
            table.get().store().tryWrites(RetryStore.CALLS);
        } catch (RuntimeException ex) {
            if (now == running()) {
                unusable(ex);
                tryLater(now, null);
            }
            return;
        }
        if (reason != null) {
            report("the table of stored calls could not be used; the worker will try again", reason);
        }
        problem = null;
        paused.set(false);
        now.all(Scheduler::resume);
        now.all(Scheduler::triggerCheckForDueExecutions);
    }

    private void report(String sentence, RuntimeException ex) {
        if (running() != null) {
            errors.report(ExtensionErrorListener.Kind.STORE, "stored calls", sentence, ex);
        }
    }

    /** The schedulers until the engine stops: one for each lane with threads, so that no lane waits for another lane's calls. */
    private final class Run {

        private final CallTable calls;

        private final Worker worker;

        private final ScheduledExecutorService housekeeper =
                Executors.newSingleThreadScheduledExecutor(DurableLifecycle.daemons("retryon-housekeeper-"));

        private final Map<String, DueCalls> due = new TreeMap<>();

        private final Map<String, Scheduler> schedulers = new TreeMap<>();

        /** Creates the schedulers. If the worker cannot write the outcome of a call, the lease expires. */
        Run(CallTable calls, Worker worker) {
            this.calls = calls;
            this.worker = worker;
            settings.lanes().pools().forEach((lane, threads) -> {
                DueCalls looks = new DueCalls(
                        settings.lanes(),
                        lane,
                        calls,
                        worker,
                        settings.pollInterval(),
                        wait -> look(lane, wait),
                        DbSchedulerEngine.this::pause);
                due.put(lane, looks);
                schedulers.put(lane, scheduler(lane, threads, looks));
            });
        }

        void start() {
            all(Scheduler::start);
            always(settings.heartbeatInterval().multipliedBy(2), DbSchedulerEngine.this::revive);
            always(REPAIR, DbSchedulerEngine.this::repairOrder);
        }

        /** Runs an action after a delay, unless the schedulers are stopped before. */
        void later(Duration delay, Runnable action) {
            try {
                var unused = housekeeper.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ex) {
                return; // the schedulers were stopped
            }
        }

        /** Runs an action now, and again after each pause, until the schedulers are stopped. */
        void always(Duration pause, Runnable action) {
            var unused = housekeeper.scheduleWithFixedDelay(action, 0, pause.toNanos(), TimeUnit.NANOSECONDS);
        }

        void all(Consumer<Scheduler> action) {
            schedulers.values().forEach(action);
        }

        /** Looks for a lane's due calls after a time; without a time immediately, or right after a search that is in progress. */
        void look(String lane, Duration wait) {
            Runnable look = Objects.requireNonNull(schedulers.get(lane))::triggerCheckForDueExecutions;
            if (wait.isNegative() || wait.isZero()) {
                look.run();
            } else {
                // The scheduler would look a moment too late.
                later(wait, look);
            }
        }

        private Scheduler scheduler(String lane, int threads, DueCalls looks) {
            int missedLimit = (int) Math.min(Integer.MAX_VALUE, FOREVER.dividedBy(settings.heartbeatInterval()));
            SchedulerBuilder scheduler = Scheduler.create(calls.store().dataSource(), List.of(task(missedLimit)))
                    .tableName(RetryStore.CALLS)
                    .schedulerName(new SchedulerName.Fixed(processName()))
                    .jdbcCustomization(new CallDialect(calls.store().database(), looks::look))
                    .threads(threads)
                    .executorService(Executors.newFixedThreadPool(
                            threads,
                            DurableLifecycle.daemons(
                                    "retryon-worker-" + (lane.equals(Lanes.DEFAULT) ? "" : lane + "-"))))
                    .dueExecutor(Executors.newSingleThreadExecutor(DurableLifecycle.daemons("retryon-due-")))
                    .housekeeperExecutor(new Housekeeper())
                    // For pools whose connections do not commit by themselves. Other connections are not affected.
                    .commitWhenAutocommitDisabled(true)
                    .pollingInterval(settings.pollInterval())
                    .heartbeatInterval(settings.heartbeatInterval())
                    .missedHeartbeatsLimit(missedLimit)
                    .deleteUnresolvedAfter(FOREVER)
                    .addSchedulerListener(new Errors())
                    .shutdownMaxWait(settings.shutdownWait());
            // Slow calls can occupy all threads but one. The scheduler rounds down, and looks again once one is free.
            double lookBelow = 1.0 - 0.5 / threads;
            // At 1.0, leased calls run immediately. Above 1.0, they would wait in a queue, without a confirmed lease.
            return scheduler.pollUsingLockAndFetch(lookBelow, 1.0).build();
        }

        private Task<CallTable.Content> task(int missedLimit) {
            return Tasks.custom(calls.store().application(), CallTable.Content.class)
                    .onFailure((failed, operations) -> {})
                    // The engine does this, because the scheduler would look at the calls of all applications.
                    .onDeadExecution((dead, operations) -> {})
                    .execute((instance, context) -> {
                        worker.accept(calls.lease(context, missedLimit));
                        return (complete, operations) -> {};
                    });
        }

        /** Stops all schedulers at the same time, because each waits for its running calls. */
        void stop() {
            housekeeper.shutdownNow();
            ThreadFactory threads = DurableLifecycle.daemons("retryon-stop-");
            List<Thread> stopping = schedulers.values().stream()
                    .map(scheduler -> threads.newThread(scheduler::stop))
                    .toList();
            stopping.forEach(Thread::start);
            try {
                for (Thread thread : stopping) {
                    thread.join();
                }
            } catch (InterruptedException ex) {
                // The schedulers wait no longer either, and interrupt their calls.
                stopping.forEach(Thread::interrupt);
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns a unique name, because a process must not be mistaken for the previous one on the same machine. */
    private static String processName() {
        String id = UUID.randomUUID().toString();
        // Not by SchedulerName.Hostname, which logs warnings if the name is unknown or slow to find.
        String node = NodeName.get();
        return node.substring(0, Math.min(node.length(), NAME_LENGTH - id.length() - 1)) + '-' + id;
    }

    /** Runs the scheduler's periodic tasks. While the scheduler is paused, only leases are confirmed. */
    private final class Housekeeper extends ScheduledThreadPoolExecutor {

        Housekeeper() {
            super(2, DurableLifecycle.daemons("retryon-housekeeper-"));
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

    /** Errors that only the scheduler's log shows, because it logs each of them. */
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

    private synchronized @Nullable Run running() {
        return running;
    }

    @Override
    public void start(Worker worker) {
        CallTable calls = table.get();
        synchronized (this) {
            if (running == null) {
                running = new Run(calls, worker);
                paused.set(false);
                problem = null;
                running.start();
            }
        }
    }

    @Override
    public void stop() {
        Run now;
        synchronized (this) {
            now = running;
            running = null;
        }
        if (now != null) {
            now.stop();
        }
    }

    @Override
    public Map<String, Backlog> backlog() {
        return table.get().backlog();
    }

    @Override
    public Backlog backlog(Predicate<String> methods) {
        return table.get().backlog(methods);
    }
}

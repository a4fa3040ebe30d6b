// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.LookUp;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
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

    private final DurableSettings.Engine settings;

    private final LookUp<Open> opened;

    private final ExtensionErrors errors;

    private final AtomicBoolean paused = new AtomicBoolean();

    private volatile @Nullable String problem;

    private volatile @Nullable Worker worker;

    private @Nullable LaneSchedulers running;

    private record Open(RetryStore store, Map<String, DueCalls> due, CallTable table) {}

    /** Opens the store when it is first needed. */
    public DbSchedulerEngine(StoreChoice store, DurableSettings.Engine settings, ExtensionErrors errors) {
        this.settings = settings;
        this.opened = new LookUp<>(() -> open(store.get()));
        this.errors = errors;
    }

    private Open open(RetryStore chosen) {
        CallTable table = new CallTable(chosen);
        Map<String, DueCalls> due = new TreeMap<>();
        settings.lanes().pools().keySet().forEach(lane -> due.put(lane, due(table, lane)));
        chosen.lines().onFreed(next -> wake(new DueCalls.Kind(next.lane(), next.method()), next.due()));
        return new Open(chosen, due, table);
    }

    private DueCalls due(CallTable table, String lane) {
        return new DueCalls(
                settings.lanes(),
                lane,
                table,
                () -> Objects.requireNonNull(worker),
                settings.pollInterval(),
                wait -> look(lane, wait),
                this::pause);
    }

    @Override
    public boolean add(@Nullable String key, String id, byte[] call, Label label, Instant due) {
        return opened.get().table().add(key, id, call, label, due);
    }

    @Override
    public void addInOrder(String key, String id, byte[] call, Label label, Instant due) {
        opened.get().table().addInOrder(key, id, call, label, due);
    }

    @Override
    public Transactions transactions() {
        return opened.get().store();
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
        DueCalls looks = opened.get().due().get(pool);
        if (running() == null || looks == null) {
            return;
        }
        change.accept(looks);
        Duration wait = Duration.between(Instant.now(), due);
        if (wait.compareTo(settings.pollInterval()) < 0) {
            look(pool, wait);
        }
    }

    /** Looks for due calls after a time; without a time immediately, or right after a search that is in progress. */
    private void look(String pool, Duration wait) {
        LaneSchedulers now = running();
        if (now == null) {
            return;
        }
        if (wait.isNegative() || wait.isZero()) {
            now.look(pool);
        } else {
            // The scheduler would look a moment too late.
            now.later(wait, () -> now.look(pool));
        }
    }

    private void repairOrder() {
        if (running() == null || paused.get()) {
            return;
        }
        try {
            opened.get().store().lines().repair();
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
            opened.get().table().revive(now.minus(settings.heartbeatInterval().multipliedBy(MISSED_HEARTBEATS)), now);
        } catch (RuntimeException ex) {
            report("calls of stopped processes could not be taken over; the worker will try again", ex);
        }
    }

    /** Pauses the scheduler until the table accepts writes. The reason might hide the database's message. */
    private void pause(@Nullable RuntimeException reason) {
        LaneSchedulers now = running();
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

    private void tryLater(LaneSchedulers now, @Nullable RuntimeException reason) {
        Duration pause = settings.pollInterval().compareTo(LONGEST_PAUSE) < 0 ? settings.pollInterval() : LONGEST_PAUSE;
        now.later(pause, () -> tryAgain(now, reason));
    }

    private void tryAgain(LaneSchedulers now, @Nullable RuntimeException reason) {
        if (now != running()) {
            return;
        }
        try {
            opened.get().store().tryWrites(RetryStore.CALLS);
        } catch (RuntimeException ex) {
            if (now == running()) {
                unusable(ex);
                tryLater(now, null);
            }
            return;
        }
        if (reason != null) {
            report("due calls could not be read; the worker will try again", reason);
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

    /** Runs the scheduler's periodic tasks. While the scheduler is paused, only leases are confirmed. */
    private final class Housekeeper extends ScheduledThreadPoolExecutor {

        Housekeeper() {
            super(2, LaneSchedulers.threads("retryon-housekeeper-"));
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

    private synchronized @Nullable LaneSchedulers running() {
        return running;
    }

    @Override
    public void start(Worker receiver) {
        Open now = opened.get();
        synchronized (this) {
            if (running == null) {
                worker = receiver;
                // Calls were stored meanwhile.
                now.due().values().forEach(DueCalls::lookAtAll);
                LaneSchedulers schedulers = new LaneSchedulers(settings, now.store(), now.due(), now.table(), receiver);
                settings.lanes()
                        .pools()
                        .forEach((lane, threads) -> schedulers.add(lane, threads, new Housekeeper(), new Errors()));
                running = schedulers;
                paused.set(false);
                problem = null;
                schedulers.all(Scheduler::start);
                schedulers.always(settings.heartbeatInterval().multipliedBy(2), this::revive);
                schedulers.always(REPAIR, this::repairOrder);
            }
        }
    }

    @Override
    public void stop() {
        LaneSchedulers now;
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
        return opened.get().table().backlog();
    }

    @Override
    public Backlog backlog(Predicate<String> methods) {
        return opened.get().table().backlog(methods);
    }
}

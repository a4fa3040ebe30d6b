// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.LookUp;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Stores calls in a table of the database, where db-scheduler finds them. Neither the scheduler nor its task is a bean, so that
 * a db-scheduler of the application is not affected.
 *
 * <p>The scheduler finds due calls, leases them, and confirms the leases. The engine itself finds calls whose process is gone,
 * because the scheduler would look at those of other applications too, and delete them some day. The worker writes the outcome
 * of a call in its own transaction.
 *
 * <p>When the scheduler can't work, because the database is down or full, the engine pauses it and tries the table
 * until it takes writes again. The scheduler itself would log an error at each poll.
 */
public final class DbSchedulerEngine implements CallEngine {

    /** The number of heartbeats in a row that may fail before a lease expires. */
    static final int MISSED_HEARTBEATS = 4;

    /** The longest pause between two tries of a table that can't be used. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final DurableSettings.Engine settings;

    private final LookUp<Open> opened;

    private final ExtensionErrors errors;

    private final AtomicBoolean paused = new AtomicBoolean();

    private volatile @Nullable String problem;

    private @Nullable LaneSchedulers running;

    private record Open(RetryStore store, Map<String, DueCalls> due, CallTable table, CallLedger ledger) {}

    /** Opens the store when it first needs it. */
    public DbSchedulerEngine(StoreChoice store, DurableSettings.Engine settings, ExtensionErrors errors) {
        this.settings = settings;
        this.opened = new LookUp<>(() -> open(store.get()));
        this.errors = errors;
    }

    private Open open(RetryStore chosen) {
        Map<String, DueCalls> due = new TreeMap<>();
        settings.lanes().pools().keySet().forEach(lane -> due.put(lane, due(chosen, lane)));
        CallTable table = new CallTable(chosen, due(chosen, Lanes.DEFAULT));
        return new Open(chosen, due, table, new JdbcCallLedger(chosen, table.dialect()));
    }

    private DueCalls due(RetryStore chosen, String lane) {
        return new DueCalls(
                chosen.application(), settings.lanes(), lane, settings.pollInterval(), () -> look(lane), this::pause);
    }

    @Override
    public boolean add(@Nullable String key, String id, byte[] call, Label label, Instant due) {
        return opened.get().table().add(key, id, call, label, due);
    }

    @Override
    public boolean resend(DeadLetter.Action action, String id, byte[] call, Label label, Instant due) {
        return opened.get().table().resend(action, id, call, label, due);
    }

    @Override
    public Transactions transactions() {
        return opened.get().store();
    }

    @Override
    public void wake(String lane, Instant due) {
        LaneSchedulers now = running();
        String pool = settings.lanes().pool(lane);
        DueCalls looks = opened.get().due().get(pool);
        if (now == null || looks == null) {
            return;
        }
        looks.stored(due);
        Duration wait = Duration.between(Instant.now(), due);
        if (wait.isNegative() || wait.isZero()) {
            look(pool);
        } else if (wait.compareTo(settings.pollInterval()) < 0) {
            // The scheduler would look a moment too late.
            now.later(wait, () -> look(pool));
        }
    }

    /** Looks for due calls at once, or right after a look that is under way. */
    private void look(String lane) {
        LaneSchedulers now = running();
        if (now != null) {
            now.look(lane);
        }
    }

    /** Makes calls due again whose process is gone, and finds calls of lanes that this process does not know. */
    private void revive() {
        if (running() == null || paused.get()) {
            return;
        }
        Instant now = Instant.now();
        try {
            Open known = opened.get();
            known.table().revive(now.minus(settings.heartbeatInterval().multipliedBy(MISSED_HEARTBEATS)), now);
            DueCalls shared = known.due().get(Lanes.DEFAULT);
            if (shared != null) {
                shared.setStrangers(
                        known.table().hasOtherLanesThan(settings.lanes().names()));
            }
        } catch (RuntimeException ex) {
            report("calls of stopped processes could not be taken over; the worker tries again", ex);
        }
    }

    /** Pauses the scheduler until the table takes writes. The reason may hide what the database has said. */
    private void pause(@Nullable RuntimeException reason) {
        LaneSchedulers now = running();
        if (now != null && paused.compareAndSet(false, true)) {
            now.all(Scheduler::pause);
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
            report("due calls could not be read; the worker tries again", reason);
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

    /** Runs what the scheduler does at intervals. While it is paused, only leases are confirmed. */
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
        String stored = RetryStore.storable(name.substring(0, Math.min(name.length(), RetryStore.LONGEST_NAME)));
        boolean skips = true;
        for (DueCalls due : opened.get().due().values()) {
            skips &= due.skip(stored, time);
        }
        return skips;
    }

    @Override
    public boolean skipLane(String lane, Duration time) {
        opened.get().due().values().forEach(due -> due.skipLane(lane, time));
        // A moment later than its calls are looked for again.
        wake(lane, Instant.now().plus(time).plusMillis(1));
        return true;
    }

    private synchronized @Nullable LaneSchedulers running() {
        return running;
    }

    @Override
    public void start(Consumer<CallLease> worker) {
        Open now = opened.get();
        synchronized (this) {
            if (running == null) {
                LaneSchedulers schedulers =
                        new LaneSchedulers(settings, now.store(), now.due(), now.table(), worker, this::pause);
                settings.lanes()
                        .pools()
                        .forEach((lane, threads) -> schedulers.add(lane, threads, new Housekeeper(), new Errors()));
                running = schedulers;
                paused.set(false);
                problem = null;
                schedulers.all(Scheduler::start);
                schedulers.always(settings.heartbeatInterval().multipliedBy(2), this::revive);
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
    public CallLedger ledger() {
        return opened.get().ledger();
    }
}

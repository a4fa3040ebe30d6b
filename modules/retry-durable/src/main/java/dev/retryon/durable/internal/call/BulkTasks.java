// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.ErrorText;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.BulkTask;
import dev.retryon.durable.internal.engine.BulkTask.Phase;
import dev.retryon.durable.internal.engine.BulkTask.Progress;
import dev.retryon.durable.internal.engine.BulkTaskStore;
import dev.retryon.durable.internal.engine.BulkTaskStore.Entry;
import dev.retryon.durable.internal.store.RepeatedWrite;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;

/**
 * Runs the application's bulk task, if this process has started or cancelled it, or if the process that ran it has
 * ended. Each part is a transaction that changes calls and writes the progress, unless another process has written it.
 * Thread-safe.
 */
final class BulkTasks {

    /** How early calls get their due times. If all had due times, they would count as waiting calls for the lanes' limits. */
    private static final Duration AHEAD = Duration.ofSeconds(5);

    /** How far in the future the next call can be, because it follows a page of calls whose due times cover this period. */
    private static final Duration LATEST = AHEAD.multipliedBy(3);

    /** The lost time for which a late task compensates. */
    private static final Duration LATE = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final int PAGE = 100;

    private static final int PARTS_PER_SECOND = 10;

    private static final int TRIES = 100;

    private final DurableCalls calls;

    private final BooleanSupplier closing;

    /** Has one thread, which ends when it has no task. */
    private final ThreadPoolExecutor runner =
            new ThreadPoolExecutor(0, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::newThread);

    /** The latest thread of the runner. */
    private volatile @Nullable Thread thread;

    /** Whether the runner must read the task again. */
    private volatile boolean changed;

    private volatile boolean stopped;

    /** @param closing whether the application is shutting down */
    BulkTasks(DurableCalls calls, BooleanSupplier closing) {
        this.calls = calls;
        this.closing = closing;
    }

    private BulkTaskStore tasks() {
        return calls.store().tasks();
    }

    /** Returns the task that was started last in any process. */
    Optional<Task> latest() {
        return tasks().latest().map(entry -> new StoredTask(entry.task(), entry.progress()));
    }

    /**
     * Starts a task, or only counts its calls.
     *
     * @throws IllegalStateException if another task is running
     */
    Task start(BulkTask task, boolean dryRun) {
        if (dryRun) {
            return new StoredTask(task, Progress.NONE.ended(Task.State.DRY_RUN, null));
        }
        while (!tasks().add(task, calls.nodeId())) {
            latest().filter(other -> other.state() == Task.State.RUNNING).ifPresent(other -> {
                throw new IllegalStateException("task " + other.id() + " is running; wait until it ends, or cancel it");
            });
        }
        run();
        return new StoredTask(task, Progress.NONE);
    }

    /** Continues the running task, if it belongs to this process, or if its process has ended. */
    void continueAbandoned() {
        if (runner.getActiveCount() == 0 && running().filter(this::isMine).isPresent()) {
            run();
        }
    }

    /** Stops this process's work on the task. Another process continues the task, or this process after a restart. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        stopped = false;
        changed = true;
        runner.execute(this::work);
        LockSupport.unpark(thread);
    }

    private Thread newThread(Runnable work) {
        Thread started = new Thread(work, "retryon-task");
        started.setDaemon(true);
        thread = started;
        return started;
    }

    private boolean isClosing() {
        return stopped || closing.getAsBoolean();
    }

    private void work() {
        try {
            Entry entry = repeated(this::taken);
            while (entry != null && !isClosing()) {
                advance(entry);
                entry = repeated(this::taken);
            }
        } catch (Throwable ex) {
            fail(ex);
        }
    }

    private Optional<Entry> running() {
        return tasks().latest().filter(entry -> entry.progress().runs());
    }

    private boolean isMine(Entry entry) {
        return entry.isAbandoned() || entry.node().equals(calls.nodeId());
    }

    /** Returns this process's running task, or takes one over from a process that has ended; {@code null} without a task. */
    private @Nullable Entry taken() {
        changed = false;
        Entry entry = running().filter(this::isMine).orElse(null);
        if (entry == null || entry.node().equals(calls.nodeId())) {
            return entry;
        }
        return tasks().update(entry, entry.progress(), calls.nodeId()) ? entry.updated(entry.progress()) : null;
    }

    private void advance(Entry entry) {
        try {
            if (entry.progress().phase() == Phase.ENDING) {
                end(entry);
            } else {
                change(entry);
            }
        } catch (LostException ex) {
            return; // the task is read again
        }
    }

    /** Another process has the task, or it was cancelled. */
    private static final class LostException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /** The ids of calls to change, and the position where their list continues; {@code null} after the last ones. */
    private record Slice(List<String> ids, @Nullable String next) {

        static Slice of(List<String> ids) {
            return new Slice(ids, ids.size() < PAGE ? null : ids.get(PAGE - 1));
        }
    }

    private void change(Entry entry) {
        long readAt = System.nanoTime();
        BulkTask task = entry.task();
        Slice slice = repeated(() -> slice(entry));
        // Callers lock waiting calls, which can have keys, in any order, so each call has its own transaction.
        boolean isDead = entry.progress().phase() == Phase.CHANGING
                && (task.action() == Task.Action.RESEND || task.action() == Task.Action.DISCARD);
        int size = isDead ? Math.max(1, slice.ids().size()) : 1;
        Entry current = entry;
        int begin = 0;
        do {
            int end = Math.min(begin + size, slice.ids().size());
            Instant now = entry.now().plusNanos(System.nanoTime() - readAt);
            if (!await(startOf(current, now), now)) {
                return;
            }
            String last = end == slice.ids().size() ? slice.next() : slice.ids().get(end - 1);
            current = write(
                    current, slice.ids().subList(begin, end), last, entry.now().plusNanos(System.nanoTime() - readAt));
            begin = end;
        } while (begin < slice.ids().size());
    }

    private static Instant startOf(Entry entry, Instant now) {
        if (entry.progress().phase() == Phase.CANCELLING) {
            return now;
        }
        Instant next = next(entry, now);
        return entry.task().sends() ? next.minus(AHEAD) : next;
    }

    /** Returns the due time of the next call. A time beyond {@link #LATEST} was set before the store's clock was set back. */
    private static Instant next(Entry entry, Instant now) {
        Instant next = entry.progress().next();
        return next.isAfter(now.plus(LATEST)) ? now : next;
    }

    private Slice slice(Entry entry) {
        BulkTask task = entry.task();
        String position = entry.progress().position();
        if (entry.progress().phase() == Phase.CANCELLING) {
            return Slice.of(calls.store().unsent(task.id(), position, PAGE));
        }
        if (task.action() == Task.Action.RUN_NOW || task.action() == Task.Action.GIVE_UP) {
            // In the order of the ids, because a call that waits again must not be changed a second time.
            return Slice.of(calls.store().openIds(task.filter(), position, PAGE));
        }
        long some = task.sends()
                ? task.maxPerSecond() * AHEAD.toSeconds()
                : Math.max(1, task.maxPerSecond() / PARTS_PER_SECOND);
        int limit = (int) Math.min(PAGE, some);
        StoredCalls.Page page = calls.store().list(task.filter(), position, limit);
        return new Slice(page.calls().stream().map(StoredCalls.Summary::id).toList(), page.next());
    }

    private Entry write(Entry entry, List<String> ids, @Nullable String last, Instant now) {
        List<Runnable> afterwards = new ArrayList<>();
        Function<@Nullable RuntimeException, Entry> write =
                refusal -> calls.transactions().write(() -> {
                    afterwards.clear(); // the write might be repeated
                    BulkTask task = entry.task();
                    Progress progress = entry.progress();
                    DefaultStoredCalls some =
                            DefaultStoredCalls.of(calls, new DefaultStoredCalls.Part(task, afterwards, refusal));
                    Instant due = firstDue(entry, now);
                    int done = 0;
                    for (String id : ids) {
                        Duration delay = due.isBefore(now) ? Duration.ZERO : Duration.between(now, due);
                        boolean isDone = progress.phase() == Phase.CANCELLING
                                ? some.restore(task, id)
                                : some.change(task, id, delay);
                        done += isDone ? 1 : 0;
                        due = due.plus(task.interval());
                    }
                    return updated(entry, progress.after(task, ids.size(), done, last, due));
                });
        Entry written = new RepeatedWrite(calls.transactions(), this::pauseAfter).run(() -> write.apply(null), write);
        afterwards.forEach(Runnable::run);
        return written;
    }

    /** Returns the due time of the first of the next calls. */
    private static Instant firstDue(Entry entry, Instant now) {
        Instant next = next(entry, now);
        Instant earliest = next.equals(Instant.EPOCH) ? now : now.minus(LATE);
        return next.isBefore(earliest) ? earliest : next;
    }

    private Entry updated(Entry entry, Progress next) {
        if (!tasks().update(entry, next, calls.nodeId())) {
            throw new LostException();
        }
        return entry.updated(next);
    }

    /** Ends the task when the last call is due and, if the task resends calls, all have ended here and on other nodes. */
    private void end(Entry entry) {
        String id = entry.task().id();
        if (!await(next(entry, entry.now()), entry.now())) {
            return;
        }
        if (entry.task().action() == Task.Action.RESEND
                && repeated(() -> calls.store().hasResent(id))) {
            boolean unused = await(entry.now().plus(PAUSE), entry.now());
            return;
        }
        Entry unused = repeated(() -> updated(entry, entry.progress().ended(Task.State.DONE, null)));
    }

    /** Waits until the given time. Returns {@code false} if the task must be read again or the process ends. */
    private boolean await(Instant time, Instant now) {
        long end = System.nanoTime()
                + Duration.between(now, time.isBefore(now) ? now : time).toNanos();
        while (!changed && !isClosing()) {
            long wait = end - System.nanoTime();
            if (wait <= 0) {
                return true;
            }
            LockSupport.parkNanos(this, Math.min(wait, PAUSE.toNanos()));
        }
        return false;
    }

    private <T extends @Nullable Object> T repeated(Supplier<T> work) {
        return new RepeatedWrite(calls.transactions(), this::pauseAfter).run(work, null);
    }

    private @Nullable Duration pauseAfter(RepeatedWrite.Reason reason, RuntimeException error, boolean isFirst) {
        if (isClosing() || reason == RepeatedWrite.Reason.REFUSED || reason == RepeatedWrite.Reason.UNKNOWN) {
            return null;
        }
        if (isFirst && reason == RepeatedWrite.Reason.OUTAGE) {
            report("a bulk task is interrupted, because the store rejects its writes; the task will try again", error);
        }
        return PAUSE;
    }

    private void report(String sentence, Throwable error) {
        calls.errors().report(ExtensionErrorListener.Kind.STORE, "stored calls", sentence, error);
    }

    private void fail(Throwable error) {
        try {
            if (!isClosing()) {
                Entry entry = repeated(this::taken);
                boolean unused = entry != null
                        && tasks().update(
                                        entry, entry.progress().ended(Task.State.FAILED, text(error)), calls.nodeId());
            }
        } catch (Throwable ex) {
            report("a bulk task has failed", error);
        }
    }

    private static String text(Throwable error) {
        ErrorText text = ErrorText.of(error);
        return text.message() == null ? text.type() : text.type() + ": " + text.message();
    }

    private final class StoredTask implements Task {

        private final BulkTask task;

        private volatile Progress latest;

        StoredTask(BulkTask task, Progress latest) {
            this.task = task;
            this.latest = latest;
        }

        private Progress progress() {
            if (latest.runs()) {
                latest = tasks().find(task.id()).map(Entry::progress).orElse(latest);
            }
            return latest;
        }

        @Override
        public boolean cancel() {
            for (int tries = 0; tries < TRIES; tries++) {
                Boolean done = calls.transactions().write(this::tryCancel);
                if (done != null) {
                    if (done) {
                        run();
                    }
                    return done;
                }
            }
            throw new ConcurrencyFailureException("task " + task.id() + " is still changing; cancel it again");
        }

        /** Tries to cancel the task. Returns {@code null} if the task was changed meanwhile. */
        private @Nullable Boolean tryCancel() {
            Entry entry = tasks().find(task.id()).orElse(null);
            if (entry == null || !entry.progress().runs()) {
                return false;
            }
            if (entry.progress().phase() != Phase.CANCELLING
                    && !tasks().update(entry, entry.progress().cancelling(), calls.nodeId())) {
                return null;
            }
            return true;
        }

        @Override
        public String id() {
            return task.id();
        }

        @Override
        public Action action() {
            return task.action();
        }

        @Override
        public State state() {
            return progress().state();
        }

        @Override
        public long matched() {
            return task.matched();
        }

        @Override
        public long moved() {
            return progress().moved();
        }

        @Override
        public long skipped() {
            return progress().skipped();
        }

        @Override
        public Instant startedAt() {
            return task.startedAt();
        }

        @Override
        public Instant before() {
            return Objects.requireNonNull(task.filter().before());
        }

        @Override
        public @Nullable String failure() {
            return progress().failure();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Task that && that.id().equals(task.id());
        }

        @Override
        public int hashCode() {
            return task.id().hashCode();
        }
    }
}

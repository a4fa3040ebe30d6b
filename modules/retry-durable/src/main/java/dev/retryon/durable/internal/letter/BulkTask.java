// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.ErrorText;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A task with its own thread. It reads the entries of its work slice by slice, and processes one after the other at its
 * rate. It may then wait for their calls to end.
 */
final class BulkTask implements DeadLetters.Task {

    private static final long SECOND = 1_000_000_000;

    private static final long MOMENT = 10_000_000;

    private static final long PAUSE = SECOND / 2;

    private final String id = UUID.randomUUID().toString();

    private final DeadLetterStatus action;

    private final DeadLetters.Bulk bulk;

    private final BulkWork work;

    private final Instant startedAt;

    private final Instant before;

    private final long matched;

    private final AtomicLong moved = new AtomicLong();

    private final AtomicLong skipped = new AtomicLong();

    private final AtomicBoolean cancelled = new AtomicBoolean();

    private volatile State state;

    private volatile @Nullable String failure;

    BulkTask(DeadLetterStatus action, DeadLetters.Bulk bulk, BulkWork work, Instant startedAt, Instant before) {
        this.action = action;
        this.bulk = bulk;
        this.work = work;
        this.startedAt = startedAt;
        this.before = before;
        this.matched = work.count();
        this.state = State.DRY_RUN;
    }

    void start() {
        state = State.RUNNING;
        Thread thread = new Thread(this::run, "retryon-task");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            List<String> sent = new ArrayList<>();
            String cursor = null;
            long next = System.nanoTime();
            do {
                BulkWork.Slice slice = work.next(cursor);
                for (String each : slice.ids()) {
                    if (!await(next)) {
                        state = State.CANCELLED;
                        return;
                    }
                    next = Math.max(next, System.nanoTime() - SECOND) + SECOND / bulk.maxPerSecond();
                    if (!work.process(each)) {
                        skipped.incrementAndGet();
                        continue;
                    }
                    moved.incrementAndGet();
                    if (work.awaitsCalls()) {
                        sent.add(each);
                    }
                }
                cursor = slice.next();
            } while (cursor != null);
            state = awaitEnds(sent) ? State.DONE : State.CANCELLED;
        } catch (Throwable ex) {
            failure = text(ex);
            state = State.FAILED;
        }
    }

    private static String text(Throwable error) {
        ErrorText text = ErrorText.of(error);
        return text.message() == null ? text.type() : text.type() + ": " + text.message();
    }

    /** Waits until the next one may be processed; {@code false} if the task must end. */
    private boolean await(long time) {
        while (!cancelled.get() && !work.isClosing()) {
            long wait = time - System.nanoTime();
            if (wait <= 0) {
                return true;
            }
            LockSupport.parkNanos(Math.min(wait, MOMENT));
        }
        return false;
    }

    /** Waits until calls have ended, here or on other nodes; {@code false} if the task must end before. */
    private boolean awaitEnds(List<String> ids) {
        for (String id : ids) {
            while (work.isRunning(id)) {
                long time = System.nanoTime() + PAUSE;
                do {
                    if (cancelled.get() || work.isClosing()) {
                        return false;
                    }
                    LockSupport.parkNanos(MOMENT);
                } while (System.nanoTime() < time);
            }
        }
        return true;
    }

    @Override
    public boolean cancel() {
        return cancelled.compareAndSet(false, true) && state == State.RUNNING;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public DeadLetterStatus action() {
        return action;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public long matched() {
        return matched;
    }

    @Override
    public long moved() {
        return moved.get();
    }

    @Override
    public long skipped() {
        return skipped.get();
    }

    @Override
    public Instant startedAt() {
        return startedAt;
    }

    @Override
    public Instant before() {
        return before;
    }

    @Override
    public @Nullable String failure() {
        return failure;
    }
}

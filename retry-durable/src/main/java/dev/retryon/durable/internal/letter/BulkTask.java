/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.DeadLetters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task with its own thread. It reads the dead letters page by page, and processes one after the other at its rate.
 * If it runs their calls, it then waits for the calls to end.
 */
final class BulkTask implements DeadLetters.Task {

    private static final int PAGE = 100;

    private static final long SECOND = 1_000_000_000;

    private static final long MOMENT = 10_000_000;

    /** The time between two checks whether a call has ended. */
    private static final long PAUSE = SECOND / 2;

    private final String id = UUID.randomUUID().toString();

    private final DeadLetterStatus action;

    private final DeadLetterFilter filter;

    private final DeadLetters.Bulk bulk;

    private final Supplier<DeadLetterStore> store;

    private final Replays replays;

    private final Instant startedAt;

    private final Instant before;

    private final long matched;

    private final AtomicLong moved = new AtomicLong();

    private final AtomicLong skipped = new AtomicLong();

    private final AtomicBoolean cancelled = new AtomicBoolean();

    private volatile State state;

    private volatile @Nullable String failure;

    BulkTask(
            DeadLetterStatus action,
            DeadLetterFilter filter,
            DeadLetters.Bulk bulk,
            Supplier<DeadLetterStore> store,
            Replays replays,
            Instant startedAt,
            Instant before) {
        this.action = action;
        this.filter = filter;
        this.bulk = bulk;
        this.store = store;
        this.replays = replays;
        this.startedAt = startedAt;
        this.before = before;
        this.matched = store.get().count(filter);
        this.state = State.DRY_RUN;
    }

    void start(Predicate<DeadLetter> step) {
        state = State.RUNNING;
        Thread thread = new Thread(() -> run(step), "retryon-dead-letters-task");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Predicate<DeadLetter> step) {
        try {
            List<String> sent = new ArrayList<>();
            String cursor = null;
            long next = System.nanoTime();
            do {
                DeadLetterStore.Page page = store.get().list(filter, cursor, PAGE);
                for (DeadLetterSummary each : page.letters()) {
                    if (!await(next)) {
                        state = State.CANCELLED;
                        return;
                    }
                    next = Math.max(next, System.nanoTime() - SECOND) + SECOND / bulk.maxPerSecond();
                    if (store.get().find(each.id()).filter(step).isPresent()) {
                        moved.incrementAndGet();
                        sent.add(each.id());
                    } else {
                        skipped.incrementAndGet();
                    }
                }
                cursor = page.next();
            } while (cursor != null);
            state = action != DeadLetterStatus.RETRYING || awaitEnds(sent) ? State.DONE : State.CANCELLED;
        } catch (Throwable ex) {
            failure = LetterActions.text(ex);
            state = State.FAILED;
        }
    }

    /** Waits until the next one may be processed; {@code false} if the task must end. */
    private boolean await(long time) {
        while (!cancelled.get() && !replays.isClosing()) {
            long wait = replays.count() >= ReplayThreads.CALLS ? MOMENT : time - System.nanoTime();
            if (wait <= 0) {
                return true;
            }
            LockSupport.parkNanos(Math.min(wait, MOMENT));
        }
        return false;
    }

    /** Waits until calls have ended, here or on other nodes; {@code false} if that is not to be waited for. */
    private boolean awaitEnds(List<String> ids) {
        for (String id : ids) {
            while (isRunning(id)) {
                long time = System.nanoTime() + PAUSE;
                do {
                    if (cancelled.get() || replays.isClosing()) {
                        return false;
                    }
                    LockSupport.parkNanos(MOMENT);
                } while (System.nanoTime() < time);
            }
        }
        return true;
    }

    private boolean isRunning(String id) {
        return replays.find(id) != null
                || store.get()
                        .find(id)
                        .filter(letter -> letter.status() == DeadLetterStatus.RETRYING)
                        .isPresent();
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

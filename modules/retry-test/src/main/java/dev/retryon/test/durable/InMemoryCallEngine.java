// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.engine.LeaseLostException;
import dev.retryon.test.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Keeps calls in memory, and runs them in virtual time on the thread that advances it. Thread-safe. */
final class InMemoryCallEngine implements CallEngine {

    /** After this time, a call is due again whose worker has not ended the lease. */
    static final Duration LEASE = Duration.ofMinutes(1);

    /** The number of calls that may run while the time does not pass. */
    private static final int MOST_RUNS = 1_000;

    /** The time that {@link #stop} waits for a running call. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

    private final VirtualTime time;

    private final MemoryCalls calls;

    /** Held while calls run. */
    private final ReentrantLock running = new ReentrantLock();

    private volatile @Nullable Consumer<CallLease> worker;

    InMemoryCallEngine(VirtualTime time, DeadLetterStore letters) {
        this.time = time;
        this.calls = new MemoryCalls(letters);
    }

    @Override
    public boolean add(@Nullable String key, String id, byte[] call, Label label, Instant due) {
        return calls.add(id, key, call, label, due);
    }

    @Override
    public boolean resend(DeadLetter.Action action, String id, byte[] call, Label label, Instant due) {
        return calls.letters().move(id, DeadLetterStatus.DEAD, action) && calls.add(id, null, call, label, due);
    }

    @Override
    public Transactions transactions() {
        return calls;
    }

    @Override
    public InstantSource clock() {
        return time;
    }

    @Override
    public CallLedger ledger() {
        return calls;
    }

    @Override
    public void start(Consumer<CallLease> receiver) {
        worker = receiver;
    }

    @Override
    public void stop() {
        worker = null;
        try {
            if (running.tryLock(LONGEST_STOP.toNanos(), TimeUnit.NANOSECONDS)) {
                running.unlock();
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Map<String, Backlog> backlog() {
        Map<String, Backlog> backlog = new TreeMap<>();
        waiting()
                .forEach(call -> backlog.merge(
                        call.lane(),
                        new Backlog(1, call.due()),
                        (before, next) -> new Backlog(before.waiting() + 1, before.nextDue())));
        return backlog;
    }

    List<StoredCalls.Call> waiting() {
        return calls.all(MemoryCalls.BY_DUE).stream()
                .filter(row -> !row.running())
                .map(MemoryCalls.Row::shown)
                .toList();
    }

    DeadLetterStore letters() {
        return calls.letters();
    }

    void clear() {
        calls.clear();
        calls.letters().delete(null, 0);
    }

    /** Advances the time and runs the calls that become due; returns the number of calls that ran. */
    int run(Duration by) {
        if (running.isHeldByCurrentThread()) {
            throw new IllegalStateException("a stored call can't run other stored calls; advance the time in the test");
        }
        running.lock();
        try {
            Instant end = time.instant().plus(by);
            int runs = 0;
            int before = 0;
            for (Instant last = time.instant(); runNext(end); runs++) {
                if (!last.equals(time.instant())) {
                    last = time.instant();
                    before = runs;
                }
                if (runs - before >= MOST_RUNS) {
                    throw new IllegalStateException("more than " + MOST_RUNS + " calls ran at " + time.instant()
                            + "; give their methods a delay, or a smaller maxAttempts");
                }
            }
            advanceTo(end);
            return runs;
        } finally {
            running.unlock();
        }
    }

    private boolean runNext(Instant end) {
        MemoryCalls.Row next = calls.all(MemoryCalls.BY_DUE).stream()
                .filter(row -> !row.running() && !row.due().isAfter(end))
                .findFirst()
                .orElse(null);
        if (next == null) {
            return false;
        }
        Consumer<CallLease> receiver = worker;
        if (receiver == null) {
            throw new IllegalStateException(
                    "stored calls are due, but this application runs none: it is not running, or"
                            + " retryon.durable.threads is 0");
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "stored calls can't run within a transaction, because a worker has none; end"
                            + " the transaction of the test first, for example with TestTransaction.end()");
        }
        advanceTo(next.due());
        MemoryCalls.Row leased = next.leased();
        if (calls.change(next, leased)) {
            receiver.accept(new Lease(leased));
            // Has no effect if the worker has ended the lease.
            calls.change(
                    leased,
                    leased.waiting(leased.call(), leased.label(), time.instant().plus(LEASE), true));
        }
        return true;
    }

    private void advanceTo(Instant instant) {
        Duration missing = Duration.between(time.instant(), instant);
        if (!missing.isNegative() && !missing.isZero()) {
            time.advance(missing);
        }
    }

    /** A call that the worker has; each lease has another revision of it. */
    private final class Lease implements CallLease {

        private final MemoryCalls.Row row;

        Lease(MemoryCalls.Row row) {
            this.row = row;
        }

        @Override
        public String id() {
            return row.id();
        }

        @Override
        public byte[] call() {
            return row.call().clone();
        }

        @Override
        public Instant due() {
            return row.due();
        }

        @Override
        public boolean isRevived() {
            return row.revived();
        }

        @Override
        public boolean isValid() {
            return calls.find(row.id())
                    .filter(found -> found.revision() == row.revision())
                    .isPresent();
        }

        @Override
        public void release(byte[] call, Label label, Instant due) {
            replace(row.waiting(call.clone(), label, due, false));
        }

        @Override
        public void postpone(byte[] call, Instant due) {
            replace(row.waiting(call.clone(), row.label(), due, row.revived()));
        }

        @Override
        public boolean remove() {
            if (calls.isToRunAgain(row)) {
                return false;
            }
            replace(null);
            return true;
        }

        @Override
        public boolean die(DeadLetter letter) {
            if (calls.isToRunAgain(row)) {
                return false;
            }
            replace(null);
            calls.letters().put(letter);
            return true;
        }

        @Override
        public void end(DeadLetter.Action action) {
            replace(null);
            calls.letters().move(id(), DeadLetterStatus.RETRYING, action);
        }

        private void replace(MemoryCalls.@Nullable Row next) {
            if (!calls.change(row, next)) {
                throw new LeaseLostException(row.id());
            }
        }

        @Override
        public String toString() {
            return row.id();
        }
    }
}

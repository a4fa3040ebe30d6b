// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.LeaseLostException;
import dev.retryon.test.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Keeps calls in memory, and runs them in virtual time on the thread that advances it. Thread-safe. */
final class InMemoryCallEngine implements CallEngine {

    /** The time after which a call is due again if its worker has not ended the lease. */
    static final Duration LEASE = Duration.ofMinutes(1);

    /** The number of calls that can run while the time stands still. */
    private static final int MOST_RUNS = 1_000;

    /** The time that {@link #stop} waits for a running call. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

    private final VirtualTime time;

    private final InMemoryCallStore calls;

    /** Held while calls run. */
    private final ReentrantLock running = new ReentrantLock();

    private volatile @Nullable Worker worker;

    InMemoryCallEngine(VirtualTime time, InMemoryCallStore calls) {
        this.time = time;
        this.calls = calls;
    }

    @Override
    public boolean add(@Nullable String key, String id, byte[] call, Label label, Instant due) {
        return calls.add(key, id, call, label, due);
    }

    @Override
    public void addInOrder(String key, String id, byte[] call, Label label, Instant due) {
        calls.addInOrder(key, id, call, label, due);
    }

    @Override
    public Transactions transactions() {
        return calls;
    }

    @Override
    public void start(Worker receiver) {
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
        waiting().stream()
                .filter(call -> call.state() == StoredCall.State.WAITING)
                .forEach(call -> backlog.merge(
                        call.lane(),
                        new Backlog(1, call.due()),
                        (before, next) -> new Backlog(before.waiting() + 1, before.nextDue())));
        return backlog;
    }

    @Override
    public Backlog backlog(Predicate<String> methods) {
        List<InMemoryCallStore.Row> found = calls.open(InMemoryCallStore.BY_DUE).stream()
                .filter(row -> isWaiting(row) && methods.test(row.label().method()))
                .toList();
        return new Backlog(found.size(), found.isEmpty() ? null : found.get(0).due());
    }

    List<StoredCalls.Summary> waiting() {
        return calls.open(InMemoryCallStore.BY_DUE).stream()
                .filter(row -> !row.running())
                .map(calls::summary)
                .toList();
    }

    private boolean isWaiting(InMemoryCallStore.Row row) {
        return !row.running() && !calls.isBlocked(row.id());
    }

    List<DeadLetter> letters() {
        return calls.letters();
    }

    void clear() {
        calls.clear();
    }

    /** Advances the time and runs the calls that become due. Returns the number of calls that ran. */
    int run(Duration by) {
        if (running.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a stored call cannot run other stored calls; advance the time in the test");
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
        List<InMemoryCallStore.Row> due = calls.open(InMemoryCallStore.BY_DUE).stream()
                .filter(row -> isWaiting(row) && !row.due().isAfter(end))
                .toList();
        if (due.isEmpty()) {
            return false;
        }
        Worker receiver = worker;
        if (receiver == null) {
            throw new IllegalStateException("stored calls are due, but this application runs none, because it is not"
                    + " running or retryon.durable.threads is 0");
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "stored calls cannot run within a transaction, because a worker has none; end"
                            + " the test's transaction first, for example with TestTransaction.end()");
        }
        InMemoryCallStore.Row next;
        do {
            Map.Entry<InMemoryCallStore.Row, Instant> first = due.stream()
                    .flatMap(row -> start(receiver, row).stream().map(start -> Map.entry(row, start)))
                    .filter(row -> !row.getValue().isAfter(end))
                    .min(Map.Entry.comparingByValue())
                    .orElse(null);
            if (first == null) {
                return false;
            }
            next = first.getKey();
            advanceTo(first.getValue());
        } while (!receiver.enter(next.label().lane(), next.id()));
        InMemoryCallStore.Row leased = next.leased();
        if (calls.change(next, leased)) {
            receiver.accept(new Lease(leased));
            // Has no effect if the worker has ended the lease.
            calls.change(
                    leased,
                    leased.waiting(leased.call(), leased.label(), time.instant().plus(LEASE), true));
        }
        return true;
    }

    /** Returns the time at which a call can start, or an empty value if its method is paused. */
    private Optional<Instant> start(Worker receiver, InMemoryCallStore.Row row) {
        Duration wait = receiver.closedFor(row.label().lane());
        Instant opened = wait.isZero() ? Instant.MIN : time.instant().plus(wait);
        return Optional.ofNullable(receiver.delay(row.label().method()))
                .map(row.due()::plus)
                .map(due -> due.isBefore(opened) ? opened : due);
    }

    private void advanceTo(Instant instant) {
        Duration missing = Duration.between(time.instant(), instant);
        if (!missing.isNegative() && !missing.isZero()) {
            time.advance(missing);
        }
    }

    /** A call that the worker has leased. Each lease has a different revision of the call. */
    private final class Lease implements CallLease {

        private final InMemoryCallStore.Row row;

        Lease(InMemoryCallStore.Row row) {
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
        public String lane() {
            return row.label().lane();
        }

        @Override
        public String method() {
            return row.label().method();
        }

        @Override
        public @Nullable Instant unfitSince() {
            return row.unfitSince();
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
            return calls.row(row.id())
                    .filter(found -> found.revision() == row.revision())
                    .isPresent();
        }

        @Override
        public void release(byte[] call, Label label, Instant due) {
            replace(row.waiting(call.clone(), label, due, false));
        }

        @Override
        public void postpone(String method, @Nullable Instant unfitSince, Instant due) {
            replace(row.postponed(method, unfitSince, due));
        }

        @Override
        public boolean remove() {
            if (calls.isToRunAgain(row)) {
                return false;
            }
            replace(null);
            calls.leaveOrder(id());
            return true;
        }

        @Override
        public boolean die(DeadLetter letter) {
            if (calls.isToRunAgain(row)) {
                return false;
            }
            replace(null);
            calls.put(letter);
            return true;
        }

        @Override
        public void end(StoredCall.Action action) {
            replace(null);
            calls.end(id(), action);
        }

        private void replace(InMemoryCallStore.@Nullable Row next) {
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

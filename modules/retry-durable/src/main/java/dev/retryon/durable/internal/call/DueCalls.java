// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.task.Execution;
import dev.retryon.durable.internal.engine.CallEngine;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds due calls for the threads of a lane, and leases those that may start: calls to methods that are known here and not
 * paused, in lanes whose gates allow a start. Other calls are not read at all. This class knows which
 * {@linkplain Kind kinds} of calls wait, and regularly searches all of them again.
 */
final class DueCalls {

    /** The maximum number of kinds in one statement. */
    private static final int GROUP = 100;

    /** The time after which calls that could not be leased are looked for again. */
    private static final Duration LOST = Duration.ofMillis(20);

    private final Lanes lanes;

    private final String pool;

    /** The lanes whose calls are looked for, as sets of the same priority, the highest first. */
    private final Collection<Set<String>> mine;

    private final Table table;

    private final CallEngine.Worker worker;

    private final Consumer<Duration> later;

    private final Consumer<RuntimeException> failed;

    /** The time between two searches of all due calls. */
    private final Duration completeEach;

    /** The time of the next search of all due calls, by the monotonic clock. */
    private volatile long completeAt = System.nanoTime();

    /**
     * The kinds of waiting calls, each with the due time at which the next search begins, which is that of the first call
     * found by the latest search. While a transaction keeps an old snapshot, PostgreSQL would otherwise read all rows
     * deleted since then in each search.
     */
    private final Map<Kind, Instant> begins = new HashMap<>();

    /** The earliest due time of the calls that this process has stored since the latest search, by kind. */
    private final Map<Kind, Instant> stored = new ConcurrentHashMap<>();

    /** The times at which closed lanes are checked again, by the monotonic clock. */
    private final Map<String, Long> opening = new HashMap<>();

    /**
     * A kind of calls: either all of them or none can start here. The method is the content of the method column, see
     * {@link MethodHash}.
     */
    record Kind(String lane, String method) {

        /**
         * Is not the generated method of records. The JDK keeps the class whose generated equality it linked last, and
         * this class would keep the application's class loader.
         */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Kind kind && kind.lane.equals(lane) && kind.method.equals(method);
        }

        @Override
        public int hashCode() {
            return 31 * lane.hashCode() + method.hashCode();
        }
    }

    record Range(Kind kind, Instant from, Instant to) {}

    /** A call that is not leased yet. The place is where the database finds the row without an index; empty if unsupported. */
    record Candidate(String id, long version, Kind kind, Instant due, String place) {}

    interface Table {

        /** Returns the kinds of waiting calls in the given lanes, with the earliest due time of each kind. */
        Map<Kind, Instant> kinds(Predicate<String> some);

        /** Returns the due calls in the given ranges, the earliest first. */
        List<Candidate> find(List<Range> ranges, int limit);

        /** Leases the calls that have not changed since they were found, and passes each leased call on. */
        void lease(List<Candidate> found, String scheduler, Consumer<Execution> leased);

        /** Returns whether the store supports {@link #leaseDue}. */
        boolean leasesDue();

        /** Finds and leases the due calls in a range with one statement. */
        List<Execution> leaseDue(Range range, int limit, String scheduler);
    }

    /**
     * Creates the search, which does not start yet.
     *
     * @param pool the lane whose threads run the calls
     * @param later makes the scheduler look again after a time
     */
    DueCalls(
            Lanes lanes,
            String pool,
            Table table,
            CallEngine.Worker worker,
            Duration pollInterval,
            Consumer<Duration> later,
            Consumer<RuntimeException> failed) {
        this.lanes = lanes;
        this.pool = pool;
        this.mine = pool.equals(Lanes.DEFAULT) ? lanes.shared() : List.of(Set.of(pool));
        this.table = table;
        this.worker = worker;
        this.completeEach = pollInterval.dividedBy(2);
        this.later = later;
        this.failed = failed;
    }

    /** Records a stored call, whose transaction might have lasted so long that searches begin later. */
    void stored(Kind kind, Instant due) {
        // Databases store fewer digits.
        stored.merge(kind, due.truncatedTo(ChronoUnit.MILLIS), DueCalls::earlier);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /** Makes the next search include all due calls. */
    void lookAtAll() {
        completeAt = System.nanoTime();
    }

    /**
     * Looks for due calls, and looks again if more calls might be able to start. The scheduler itself looks again when the
     * next call ends, but it misses calls that end during the search, and their threads would be idle until the next poll.
     * If no thread is free, looking again does not query the database.
     */
    List<Execution> look(int limit, String scheduler) {
        List<Execution> leased = new ArrayList<>();
        boolean isComplete = true;
        try {
            refresh();
            for (Set<String> some : mine) {
                List<Range> ranges = ranges(some, Instant.now());
                for (int i = 0; i < ranges.size() && leased.size() < limit; i += GROUP) {
                    isComplete &= look(
                            ranges.subList(i, Math.min(i + GROUP, ranges.size())),
                            limit - leased.size(),
                            scheduler,
                            leased);
                }
            }
        } catch (RuntimeException ex) {
            lookAtAll();
            // Calls that are already leased must run.
            failed.accept(ex);
            return leased;
        }
        if (!isComplete) {
            later.accept(Duration.ZERO);
        }
        return leased;
    }

    private void refresh() {
        Map<Kind, Instant> added = new HashMap<>();
        stored.keySet().forEach(kind -> added.put(kind, stored.remove(kind)));
        long now = System.nanoTime();
        if (now - completeAt >= 0) {
            completeAt = now + completeEach.toNanos();
            begins.clear();
            begins.putAll(table.kinds(lane -> lanes.pool(lane).equals(pool)));
        }
        added.forEach((kind, due) -> begins.merge(kind, due, DueCalls::earlier));
    }

    /** Returns the ranges of calls that can start in lanes of the same priority. The kind with the earliest call is first. */
    private List<Range> ranges(Set<String> some, Instant now) {
        List<Range> ranges = new ArrayList<>();
        begins.forEach((kind, begin) -> {
            boolean isOfThese = some.contains(kind.lane())
                    || (some.contains(Lanes.DEFAULT) && !lanes.names().contains(kind.lane()));
            Duration delay = isOfThese ? worker.delay(kind.method()) : null;
            Instant end = delay == null ? Instant.MIN : now.minus(delay);
            if (!begin.isAfter(end) && isOpen(kind.lane())) {
                ranges.add(new Range(kind, begin, end));
            }
        });
        ranges.sort(Comparator.comparing(Range::from));
        return ranges;
    }

    /** Returns whether a call in a lane can start now. If not, schedules a search for the time when one can. */
    private boolean isOpen(String lane) {
        Duration wait = worker.closedFor(lane);
        long now = System.nanoTime();
        long at = now + wait.toNanos();
        Long before = opening.get(lane);
        if (!wait.isZero() && (before == null || before - now <= 0 || at - before < 0)) {
            opening.put(lane, at);
            later.accept(wait);
        }
        return wait.isZero();
    }

    /** Adds the leased calls. Returns {@code false} if more calls might be due. */
    private boolean look(List<Range> ranges, int limit, String scheduler, List<Execution> leased) {
        if (ranges.size() == 1
                && table.leasesDue()
                && !lanes.isPaced(ranges.get(0).kind().lane())) {
            List<Execution> some = table.leaseDue(ranges.get(0), limit, scheduler);
            if (!some.isEmpty()) {
                begins.put(ranges.get(0).kind(), some.get(0).executionTime);
            }
            leased.addAll(some);
            return some.size() < limit;
        }
        List<Candidate> found = table.find(ranges, limit);
        Map<Kind, Instant> first = new HashMap<>();
        found.forEach(call -> first.putIfAbsent(call.kind(), call.due()));
        begins.putAll(first);
        List<Candidate> chosen = found.stream().filter(this::mayStart).toList();
        List<Execution> some = new ArrayList<>();
        try {
            if (!chosen.isEmpty()) {
                table.lease(chosen, scheduler, some::add);
            }
        } finally {
            leased.addAll(some);
            Set<String> ids = some.stream().map(Execution::getId).collect(Collectors.toSet());
            chosen.stream()
                    .filter(call -> !ids.contains(call.id()))
                    .forEach(call -> worker.cancel(call.kind().lane(), call.id()));
        }
        if (some.size() < chosen.size()) {
            // Other processes were faster, or are about to lock the calls.
            later.accept(LOST);
        }
        // Calls in a lane that has closed meanwhile are not found again. If no calls are found, other processes have
        // locked those that were found before.
        return found.size() < limit || (some.isEmpty() && !chosen.isEmpty());
    }

    private boolean mayStart(Candidate call) {
        String lane = call.kind().lane();
        return isOpen(lane) && worker.enter(lane, call.id());
    }
}

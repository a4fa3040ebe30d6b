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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds due calls for the threads of a lane, and leases those that may start: calls of methods that are known here and not
 * paused, in lanes whose gates let them start. Other calls are not read at all. It knows which {@linkplain Kind kinds} of calls
 * wait, and looks at all of them again from time to time.
 */
final class DueCalls {

    /** The maximum number of kinds in one statement. */
    private static final int GROUP = 100;

    /** The time after which calls are looked for that could not be leased. */
    private static final Duration LOST = Duration.ofMillis(20);

    private final Lanes lanes;

    private final String pool;

    /** The lanes whose calls are looked for: sets of the same priority, the highest first. */
    private final Collection<Set<String>> mine;

    private final Table table;

    private final Supplier<CallEngine.Worker> worker;

    private final Consumer<Duration> later;

    private final Consumer<RuntimeException> failed;

    /** The time between two looks at all due calls. */
    private final Duration completeEach;

    /** When a look is at all due calls again, by the monotonic clock. */
    private volatile long completeAt = System.nanoTime();

    /**
     * The kinds of which calls wait, and where looks for them begin: at the first call that the latest look has found. While a
     * transaction keeps an old snapshot, PostgreSQL would otherwise read all rows that were deleted since in each look.
     */
    private final Map<Kind, Instant> begins = new HashMap<>();

    /** When the earliest of the calls is due that this process has stored since the latest look, by kind. */
    private final Map<Kind, Instant> stored = new ConcurrentHashMap<>();

    /** When closed lanes are looked at again, by the monotonic clock. */
    private final Map<String, Long> opening = new HashMap<>();

    /**
     * Calls that may start here or not, all of them.
     *
     * @param method the column of the method, as in {@link MethodHash}
     */
    record Kind(String lane, String method) {

        /** Not that of records: the JDK keeps the class whose equality it has linked last, and so its application. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Kind kind && kind.lane.equals(lane) && kind.method.equals(method);
        }

        @Override
        public int hashCode() {
            return 31 * lane.hashCode() + method.hashCode();
        }
    }

    /** Calls of a kind that are due between two times. */
    record Range(Kind kind, Instant from, Instant to) {}

    /**
     * A call that is not leased yet.
     *
     * @param place where the database finds the row without an index; empty if it does not
     */
    record Candidate(String id, long version, Kind kind, Instant due, String place) {}

    /** The table of stored calls, as far as looks for due ones need it. */
    interface Table {

        /** The kinds of waiting calls in some lanes, with the earliest due time of each. */
        Map<Kind, Instant> kinds(Predicate<String> some);

        /** The due calls in some ranges, the earliest first. */
        List<Candidate> find(List<Range> ranges, int limit);

        /** Leases the calls that have not changed since they were found, and passes each leased call on. */
        void lease(List<Candidate> found, String scheduler, Consumer<Execution> leased);

        /** Whether {@link #leaseDue} works. */
        boolean leasesDue();

        /** Finds and leases the due calls in a range with one statement. */
        List<Execution> leaseDue(Range range, int limit, String scheduler);
    }

    /**
     * Looks at nothing yet.
     *
     * @param pool the lane whose threads run the calls
     * @param worker decides which calls may start
     * @param later has the scheduler look again after a time
     * @param failed receives an error of the database
     */
    DueCalls(
            Lanes lanes,
            String pool,
            Table table,
            Supplier<CallEngine.Worker> worker,
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

    /** A call was stored, whose transaction may have lasted so long that looks begin later. */
    void stored(Kind kind, Instant due) {
        // Databases keep fewer digits.
        stored.merge(kind, due.truncatedTo(ChronoUnit.MILLIS), DueCalls::earlier);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /** The next look is at all due calls. */
    void lookAtAll() {
        completeAt = System.nanoTime();
    }

    /**
     * Looks for due calls, and again if there may be more that can start. The scheduler itself looks again when the next call
     * ends, but it misses calls that end during the look: their threads would be idle until the next poll. If no thread is free,
     * looking again does not query the database.
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
            // Calls that are leased already must run.
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

    /** The calls of lanes of the same priority that may start, the kind with the earliest call first. */
    private List<Range> ranges(Set<String> some, Instant now) {
        List<Range> ranges = new ArrayList<>();
        begins.forEach((kind, begin) -> {
            boolean isOfThese = some.contains(kind.lane())
                    || (some.contains(Lanes.DEFAULT) && !lanes.names().contains(kind.lane()));
            Duration delay = isOfThese ? worker.get().delay(kind.method()) : null;
            Instant end = delay == null ? Instant.MIN : now.minus(delay);
            if (!begin.isAfter(end) && isOpen(kind.lane())) {
                ranges.add(new Range(kind, begin, end));
            }
        });
        ranges.sort(Comparator.comparing(Range::from));
        return ranges;
    }

    /** Whether a call of a lane may start now. If not, calls are looked for when one may. */
    private boolean isOpen(String lane) {
        Duration wait = worker.get().closedFor(lane);
        long now = System.nanoTime();
        long at = now + wait.toNanos();
        Long before = opening.get(lane);
        if (!wait.isZero() && (before == null || before - now <= 0 || at - before < 0)) {
            opening.put(lane, at);
            later.accept(wait);
        }
        return wait.isZero();
    }

    /** Adds the calls that were leased. Returns {@code false} if there may be more. */
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
                    .forEach(call -> worker.get().cancel(call.kind().lane(), call.id()));
        }
        if (some.size() < chosen.size()) {
            // Other processes were faster, or are about to lock them.
            later.accept(LOST);
        }
        // Calls of a lane that has closed meanwhile are not found again. Without any, others have locked those that
        // were found.
        return found.size() < limit || (some.isEmpty() && !chosen.isEmpty());
    }

    private boolean mayStart(Candidate call) {
        String lane = call.kind().lane();
        return isOpen(lane) && worker.get().enter(lane, call.id());
    }
}

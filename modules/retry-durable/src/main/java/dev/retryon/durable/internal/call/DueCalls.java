// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.task.Execution;
import dev.retryon.durable.internal.store.RetryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Selects the due calls that the threads of a lane look for: those of its application and lanes, except skipped names. */
final class DueCalls {

    /** Names that SQL takes between single quotes as they are. */
    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}._$#-]+");

    /** The maximum number of skipped names, which are part of each statement. */
    private static final int MOST = 100;

    private final String application;

    private final Lanes lanes;

    /** The lanes whose calls are looked for: sets of the same priority, the highest first. */
    private final Collection<Set<String>> mine;

    private final Runnable lookAgain;

    private final Consumer<RuntimeException> failed;

    /** The names that are skipped, and until when by the monotonic clock. */
    private final Map<String, Long> skipped = new ConcurrentHashMap<>();

    private final Map<String, Long> skippedLanes = new ConcurrentHashMap<>();

    /** Whether calls of lanes are stored that this process does not know. */
    private volatile boolean strangers;

    /** The time between two looks at all due calls. */
    private final Duration completeEach;

    /** When a look is at all due calls again, by the monotonic clock. */
    private volatile long completeAt = System.nanoTime();

    /** Where looks begin until then, by condition: at the first call that the latest look has found. */
    private final Map<String, Instant> begins = new HashMap<>();

    /** When the earliest of the calls is due that this process has stored since the latest look. */
    private final AtomicReference<Instant> stored = new AtomicReference<>(Instant.MAX);

    DueCalls(
            String application,
            Lanes lanes,
            String lane,
            Duration pollInterval,
            Runnable lookAgain,
            Consumer<RuntimeException> failed) {
        this.application = application;
        this.completeEach = pollInterval.dividedBy(2);
        this.lanes = lanes;
        this.mine = lane.equals(Lanes.DEFAULT) ? lanes.shared() : List.of(Set.of(lane));
        this.lookAgain = lookAgain;
        this.failed = failed;
    }

    @FunctionalInterface
    interface Look {

        /** Finds calls that are due at a time or later, the earliest first. */
        List<Execution> find(String condition, Instant from, int limit);
    }

    /** A call was stored, whose transaction may have lasted so long that looks begin later. */
    void stored(Instant due) {
        stored.accumulateAndGet(due, DueCalls::earlier);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /** Skips calls of a name, because other processes run them; returns {@code false} if the name can't be skipped. */
    boolean skip(String name, Duration time) {
        if (!PLAIN.matcher(name).matches() || (skipped.size() >= MOST && !skipped.containsKey(name))) {
            return false;
        }
        skipped.put(name, System.nanoTime() + time.toNanos());
        return true;
    }

    void skipLane(String lane, Duration time) {
        completeAt = System.nanoTime(); // skipped calls keep their places
        skippedLanes.put(lane, System.nanoTime() + time.toNanos());
    }

    private static Set<String> current(Map<String, Long> skipped) {
        if (skipped.isEmpty()) {
            return Set.of();
        }
        long now = System.nanoTime();
        skipped.values().removeIf(end -> end - now < 0);
        return Set.copyOf(skipped.keySet());
    }

    /** Sets whether the default threads look for calls of lanes that this process does not know. */
    void setStrangers(boolean present) {
        strangers = present;
    }

    /** The conditions for rows in SQL, without parameters; one for each priority, the highest first. */
    private List<String> conditions() {
        Set<String> names = current(skipped);
        Set<String> absent = current(skippedLanes);
        String rest = names.isEmpty() ? "" : " and (name is null or name not in (" + quoted(names) + "))";
        return mine.stream()
                .flatMap(some -> inLanes(some, absent).stream())
                .map(condition -> "task_name = '" + application + "'" + condition + rest)
                .toList();
    }

    /** Empty if none of the lanes is looked for. */
    private Optional<String> inLanes(Set<String> some, Set<String> absent) {
        Set<String> wanted = new TreeSet<>(some);
        wanted.removeAll(absent);
        if (strangers && some.contains(Lanes.DEFAULT)) {
            Set<String> others = new TreeSet<>(lanes.names());
            others.removeAll(wanted);
            return Optional.of(others.isEmpty() ? "" : " and lane not in (" + quoted(others) + ")");
        }
        return wanted.isEmpty() ? Optional.empty() : Optional.of(" and lane in (" + quoted(wanted) + ")");
    }

    private static String quoted(Collection<String> names) {
        return names.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
    }

    /** The query for due calls of databases that lease each call by itself, with the scheduler's conditions. */
    String query(int limit, String condition) {
        List<String> wanted = conditions();
        StringBuilder order = new StringBuilder();
        if (wanted.size() > 1) {
            order.append("case");
            for (int i = 0; i < wanted.size(); i++) {
                order.append(" when ").append(wanted.get(i)).append(" then ").append(i);
            }
            order.append(" end, ");
        }
        return "select * from " + RetryStore.CALLS
                + " where state = 'WAITING' and picked = ? and execution_time <= ? and "
                + (wanted.isEmpty() ? "1 = 0 " : "((" + String.join(") or (", wanted) + ")) ") + condition
                + " order by " + order + "execution_time limit "
                + limit;
    }

    /**
     * Looks for due calls, and again if a look has found as many calls as threads were free, because there may be more. The
     * scheduler itself looks again when the next call ends, but it misses calls that end during the look: their threads would
     * be idle until the next poll. If no thread is free, looking again does not query the database.
     *
     * <p>Most looks begin where the latest one has found its first call. While a transaction keeps an old snapshot, PostgreSQL
     * would otherwise read all rows that were deleted since in each look.
     */
    List<Execution> look(int limit, Look query) {
        List<Execution> found = new ArrayList<>();
        long now = System.nanoTime();
        if (now - completeAt >= 0) {
            completeAt = now + completeEach.toNanos();
            begins.clear();
        }
        Instant earliest = stored.getAndSet(Instant.MAX);
        try {
            for (String condition : conditions()) {
                Instant begin = begins.remove(condition);
                if (found.size() < limit) {
                    Instant from = begin == null ? Instant.EPOCH : earlier(begin, earliest);
                    List<Execution> some = query.find(condition, from, limit - found.size());
                    begins.put(condition, some.isEmpty() ? from : some.get(0).executionTime);
                    found.addAll(some);
                }
            }
        } catch (RuntimeException ex) {
            completeAt = System.nanoTime();
            // Calls that are leased already must run.
            failed.accept(ex);
            return found;
        }
        if (found.size() == limit) {
            lookAgain.run();
        }
        return found;
    }
}

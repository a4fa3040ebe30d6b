// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Calls of every kind from several threads for a while, with interrupts and cancellations. If enabled, listeners, gates,
 * appenders, executors and the store of dead letters sometimes fail. Afterwards calls, attempts, retries, events, meters and
 * dead letters must add up, and the gauges must be zero. Heap and threads must be as after a third of the time.
 */
final class Soak {

    private static final int CALLERS = 8;

    /** How much the heap may grow between a third of the time and the end. */
    private static final long GROWTH_BYTES = 12 << 20;

    private static final int GROWTH_THREADS = 4;

    private static final Duration SETTLING = Duration.ofSeconds(20);

    private final SoakTally tally;

    private final LongAdder unended = new LongAdder();

    private final List<SoakCaller> callers = new ArrayList<>();

    private Soak(SoakTally tally) {
        this.tally = tally;
    }

    /** The figures of a soak, and the rules that it violated. */
    record Outcome(List<String> lines, List<String> violations) {}

    static Outcome run(Duration time, int faultsPercent) throws InterruptedException {
        SoakFaults faults = new SoakFaults(faultsPercent);
        SoakTally tally = new SoakTally(faults);
        try (ConfigurableApplicationContext context = SoakApplication.start(tally)) {
            SoakApplication.logTo(faults);
            return new Soak(tally).run(time, context);
        }
    }

    private Outcome run(Duration time, ConfigurableApplicationContext context) throws InterruptedException {
        SoakCalls calls = context.getBean(SoakCalls.class);
        for (int i = 0; i < CALLERS; i++) {
            SoakCaller caller = new SoakCaller(calls, tally, unended);
            callers.add(caller);
            caller.start();
        }
        long start = System.nanoTime();
        disturb(start + time.toNanos() / 3);
        long heap = usedHeap();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        disturb(start + time.toNanos());
        callers.forEach(SoakCaller::end);
        long growth = usedHeap() - heap;
        int more = ManagementFactory.getThreadMXBean().getThreadCount() - threads;
        for (SoakCaller caller : callers) {
            caller.join();
        }
        return outcome(context.getBean(MeterRegistry.class), growth, more);
    }

    /** Interrupts callers by chance until a moment. */
    private void disturb(long until) {
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
            callers.get(ThreadLocalRandom.current().nextInt(CALLERS)).interrupt();
        }
    }

    private Outcome outcome(MeterRegistry meters, long growth, int threads) {
        List<String> lines = new ArrayList<>();
        List<String> violations = new ArrayList<>();
        long all = 0;
        for (SoakKind kind : SoakKind.values()) {
            SoakTally.Counts counts = tally.of(kind);
            // The end of a cancelled call might still be on its way.
            settle(() -> counts.calls.sum() - counts.ends.sum() - successesAtOnce(meters, kind));
            long atOnce = successesAtOnce(meters, kind);
            long calls = counts.calls.sum();
            all += calls;
            lines.add(kind + ": " + calls + " calls, " + counts.attempts.sum() + " attempts, " + counts.scheduled.sum()
                    + " retries announced, " + counts.ends.sum() + " ends, " + atOnce + " successes at once");
            equal(violations, kind + " calls = ends + successes at once", calls, counts.ends.sum() + atOnce);
            equal(
                    violations,
                    kind + " attempts = attempts of ends + successes at once",
                    counts.attempts.sum(),
                    counts.attemptsOfEnds.sum() + atOnce);
            equal(violations, kind + " calls = meter", calls, sum(meters, "retryon.calls", kind));
            equal(violations, kind + " retries = meter", counts.scheduled.sum(), sum(meters, "retryon.retries", kind));
            long unmade = counts.scheduled.sum() - (counts.attemptsOfEnds.sum() - counts.ends.sum());
            if (unmade < 0 || unmade > counts.endsDuringWaits.sum()) {
                violations.add(kind + ": " + unmade + " announced retries were not made, but only "
                        + counts.endsDuringWaits.sum() + " calls ended in a way that explains one");
            }
            meters.find("retryon.waiting").tag("name", kind.retryName()).gauges().stream()
                    .mapToDouble(Gauge::value)
                    .filter(value -> value != 0)
                    .forEach(value -> violations.add(kind + ": the gauge of waiting calls is at " + value));
        }
        lines.add(all + " calls, " + tally.faults().thrown() + " faults thrown; heap " + growth / 1024
                + " KiB, threads " + threads + " more than after a third of the time");
        equal(violations, "calls that did not end", unended.sum(), 0);
        checkLetters(meters, lines, violations);
        if (growth > GROWTH_BYTES) {
            violations.add("the heap grew by " + growth + " bytes");
        }
        if (threads > GROWTH_THREADS) {
            violations.add("there are " + threads + " more threads");
        }
        return new Outcome(lines, violations);
    }

    /** A caller who is interrupted does not learn that its call was kept, so there can be more letters than events. */
    private void checkLetters(MeterRegistry meters, List<String> lines, List<String> violations) {
        SoakTally.Counts counts = tally.of(SoakKind.KEPT);
        long kept = counts.kept.sum();
        lines.add(tally.letters() + " dead letters stored, of " + kept + " of which the caller knew");
        equal(
                violations,
                "calls that were kept = meter",
                kept,
                sum(meters, "retryon.deadletters.stored", SoakKind.KEPT));
        if (kept == 0 || kept > tally.letters() || tally.letters() > counts.ends.sum()) {
            violations.add("of " + counts.ends.sum() + " calls that ended, " + tally.letters()
                    + " dead letters were stored, and " + kept + " calls were kept");
        }
    }

    /** The heap in use after a collection, in bytes. */
    static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    static void settle(LongSupplier missing) {
        long deadline = System.nanoTime() + SETTLING.toNanos();
        while (missing.getAsLong() != 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    static void equal(List<String> violations, String what, long left, long right) {
        if (left != right) {
            violations.add(what + ": " + left + " and " + right);
        }
    }

    private static long successesAtOnce(MeterRegistry meters, SoakKind kind) {
        return sum(meters.find("retryon.calls").tag("name", kind.retryName()).tag("outcome", "success"));
    }

    private static long sum(MeterRegistry meters, String name, SoakKind kind) {
        return sum(meters.find(name).tag("name", kind.retryName()));
    }

    /** Counts that are kept elsewhere are function counters. */
    static long sum(Search search) {
        return (long) (search.counters().stream().mapToDouble(Counter::count).sum()
                + search.functionCounters().stream()
                        .mapToDouble(FunctionCounter::count)
                        .sum());
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.DurableMeasurement.Rates;
import dev.retryon.benchmarks.durable.DurableMeasurement.Times;
import dev.retryon.benchmarks.measure.Figures;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.context.ConfigurableApplicationContext;

/** Measures durable calls beside db-scheduler alone, in turn on the same table, and prints a table for each database. */
public final class DurableRun {

    private static final int WARM_UP_ROUNDS = 5;

    private static final String TEMPLATE = "waiting";

    private static final Duration LONG = Duration.ofDays(30);

    /** Adds copies of an entry. */
    private static final String COPIES = "insert into " + RetryStore.CALLS
            + " (task_name, task_instance, task_data, execution_time, picked, version)"
            + " with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)"
            + " select task_name, task_instance || '-' || n, task_data, execution_time, picked, version"
            + " from " + RetryStore.CALLS + " cross join numbers where task_instance = '" + TEMPLATE + "'";

    private final int rounds;

    private final boolean quick;

    private final int waiting;

    private final PrintStream out;

    private DurableRun(int rounds, boolean quick, int waiting, PrintStream out) {
        this.rounds = rounds;
        this.quick = quick;
        this.waiting = waiting;
        this.out = out;
    }

    /**
     * Runs it.
     *
     * @param only which databases or further measurements, by their names in lower case
     * @param rounds how many rounds
     * @param quick whether a tenth of the calls is enough
     * @param waiting how many calls wait at last
     * @param seconds how long each stream of calls lasts
     * @param out takes the tables
     * @throws Exception if a measurement fails
     */
    public static void run(Pattern only, int rounds, boolean quick, int waiting, int seconds, PrintStream out)
            throws Exception {
        for (DurableDatabase database : DurableDatabase.values()) {
            if (only.matcher(database.name().toLowerCase(Locale.ROOT)).find()) {
                new DurableRun(rounds, quick, waiting, out).measure(database);
            }
        }
        int calls = quick ? 1_000 : 10_000;
        if (only.matcher("backlog").find()) {
            DurableBacklog.print(rounds, calls, waiting, out);
        }
        DurableSnapshot.print(only, seconds, out);
        DurableNodes.print(only, calls, out);
    }

    private void measure(DurableDatabase database) throws Exception {
        try (DurableDatabase.Opened opened = database.open();
                ConfigurableApplicationContext context = DurableApplication.start(opened.properties())) {
            measure(database.title(), context);
        }
        if (database == DurableDatabase.POSTGRESQL) {
            DurableCosts.print(quick ? 1_000 : 10_000, out);
        }
    }

    private void measure(String title, ConfigurableApplicationContext context) throws Exception {
        Arrivals arrivals = context.getBean(Arrivals.class);
        RetryStore store = context.getBean(StoreChoice.class).get();
        Workers ours = RetryOnWorkers.of(context);
        ours.end();
        BareWorkers bare = new BareWorkers(store, arrivals, payload(ours, store, arrivals));
        DurableMeasurement measurement = new DurableMeasurement(arrivals);
        int calls = quick ? 1_000 : 10_000;
        int singles = quick ? 50 : 200;

        // The compiler of the JVM needs tens of thousands of calls of each to be done with both.
        for (int i = 0; i < (quick ? 1 : WARM_UP_ROUNDS); i++) {
            measurement.rates(bare, calls);
            measurement.rates(ours, calls);
        }
        List<Rates> bareRates = new ArrayList<>();
        List<Rates> ourRates = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            out.printf("%s: round %d of %d%n", title, round, rounds);
            bareRates.add(measurement.rates(bare, calls));
            ourRates.add(measurement.rates(ours, calls));
        }

        out.printf("%n## Durable calls: %s, %,d calls a round%n%n", title, calls);
        row("`durable`", "db-scheduler", "**RetryOn**", "ratio");
        out.println("|:" + "-".repeat(51) + "|" + ("-".repeat(15) + ":|").repeat(3));
        rate("stored a second, " + DurableMeasurement.CALLERS + " threads", bareRates, ourRates, true);
        rate("made a second, " + DurableApplication.THREADS + " threads", bareRates, ourRates, false);
        times("lag of a due retry", measurement.lag(bare, singles), measurement.lag(ours, singles));
        alone(measurement, bare, ours, singles, 0);
        bare.ask(TEMPLATE, Instant.now().plus(LONG));
        long start = System.nanoTime();
        int added = store.jdbc().sql(COPIES).param(waiting).update();
        double seconds = (System.nanoTime() - start) / 1e9;
        alone(measurement, bare, ours, singles, added);
        out.printf(Locale.ROOT, "%n%,d entries inserted in %.1f s.%n%n", added, seconds);
    }

    /** What RetryOn stores for a call. */
    private static byte[] payload(Workers ours, RetryStore store, Arrivals arrivals) throws Exception {
        arrivals.expect(1);
        ours.ask("00000000-0000-0000-0000-000000000000");
        byte[] payload = store.jdbc()
                .sql("select task_data from " + RetryStore.CALLS)
                .query((row, number) -> row.getBytes(1))
                .single();
        ours.begin();
        arrivals.await();
        ours.end();
        return payload;
    }

    private void alone(DurableMeasurement measurement, Workers bare, Workers ours, int calls, int entries)
            throws Exception {
        String beside = entries == 0 ? "" : String.format(Locale.ROOT, ", %,d waiting", entries);
        double bareStart = measurement.start(bare);
        row("start until a call is made" + beside + ", ms", text(bareStart), text(measurement.start(ours)), "");
        times("asked until made" + beside, measurement.single(bare, calls), measurement.single(ours, calls));
    }

    private void rate(String what, List<Rates> bare, List<Rates> ours, boolean stored) {
        double[] ratios = new double[bare.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = of(ours.get(i), stored) / of(bare.get(i), stored);
        }
        row(
                what,
                text(of(Rates.median(bare), stored)),
                text(of(Rates.median(ours), stored)),
                String.format(Locale.ROOT, "%.2f", Figures.median(ratios)));
    }

    private static double of(Rates rates, boolean stored) {
        return stored ? rates.stored() : rates.made();
    }

    private void times(String what, Times bare, Times ours) {
        row(what + ", p50, ms", text(bare.p50()), text(ours.p50()), "");
        row(what + ", p99, ms", text(bare.p99()), text(ours.p99()), "");
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }

    private void row(String what, String bare, String ours, String ratio) {
        out.printf("| %-50s | %14s | %14s | %14s |%n", what, bare, ours, ratio);
    }
}

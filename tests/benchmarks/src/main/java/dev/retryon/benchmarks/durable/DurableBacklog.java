/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.CountingServer.Statements;
import dev.retryon.benchmarks.durable.DurableMeasurement.Rates;
import dev.retryon.benchmarks.durable.DurableMeasurement.Times;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.CallLedger;
import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.spring.internal.control.ChangesForAllNodes;
import dev.retryon.spring.internal.control.RuntimeChange;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/** Measures durable calls on PostgreSQL beside many that wait: without them, while they are not due, and in a paused lane. */
final class DurableBacklog {

    private static final int WARM_UP_ROUNDS = 3;

    private static final int SINGLES = 200;

    private static final String LANE = "paused";

    /** Replaces the only call with many. */
    private static final String COPIES =
            "with template as (delete from retryon_call returning *) insert into retryon_call (task_name, task_instance,"
                    + " task_data, execution_time, picked, version, name, error_type, attempt, started_at, lane)"
                    + " select task_name, gen_random_uuid()::text, task_data, now() + ?::interval + n * interval '1 ms',"
                    + " false, 1, name, error_type, attempt, started_at, lane from template, generate_series(1, ?) n";

    private final CountingServer server;

    private final ConfigurableApplicationContext context;

    private final Workers workers;

    private final DurableMeasurement measurement;

    private final int calls;

    private final PrintStream out;

    private DurableBacklog(CountingServer server, ConfigurableApplicationContext context, int calls, PrintStream out) {
        this.server = server;
        this.context = context;
        this.workers = RetryOnWorkers.of(context);
        this.measurement = new DurableMeasurement(context.getBean(Arrivals.class));
        this.calls = calls;
        this.out = out;
    }

    static void print(int rounds, int calls, int waiting, PrintStream out) throws Exception {
        try (CountingServer server = new CountingServer()) {
            Map<String, Object> properties = new HashMap<>(server.properties());
            properties.put("retryon.durable.lanes." + LANE + ".threads", 1);
            properties.put("retryon.methods[dev.retryon.benchmarks.durable.Orders#retry].lane", LANE);
            try (ConfigurableApplicationContext context = DurableApplication.start(properties)) {
                DurableBacklog backlog = new DurableBacklog(server, context, calls, out);
                backlog.workers.end();
                for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                    backlog.measurement.rates(backlog.workers, calls);
                }
                backlog.measure("none waiting", rounds);
                backlog.workers.ask("waiting");
                backlog.fill("30 days", waiting);
                backlog.measure(String.format(Locale.ROOT, "%,d not due", waiting), rounds);
                server.jdbc().sql("truncate retryon_call").update();
                context.getBean(ChangesForAllNodes.class)
                        .change(RuntimeChange.Scope.LANE, LANE, Map.of("paused", "true"), null, "benchmark");
                backlog.workers.askLater("waiting");
                backlog.fill("-1 hour", waiting);
                backlog.measure(String.format(Locale.ROOT, "%,d in a paused lane", waiting), rounds);
            }
        }
    }

    private void fill(String due, int waiting) {
        server.jdbc().sql(COPIES).params(due, waiting).update();
        // As autovacuum does within a minute.
        server.jdbc().sql("analyze retryon_call").update();
    }

    private void measure(String title, int rounds) throws Exception {
        List<Rates> rates = new ArrayList<>();
        double scans = scans();
        server.reset();
        for (int i = 0; i < rounds; i++) {
            rates.add(measurement.rates(workers, calls));
        }
        Statements lease = server.statements(CountingServer.LEASE);
        double cpu = server.cpuMillis() / rounds / calls;
        Times single = measurement.single(workers, SINGLES);
        Rates median = Rates.median(rates);
        out.printf("%n## Durable calls on PostgreSQL: %s%n%n", title);
        row("stored per second", median.stored());
        row("run per second", median.made());
        row("CPU of PostgreSQL per stored and run call, ms", cpu);
        row("request until run, p50, ms", single.p50());
        row("request until run, p99, ms", single.p99());
        row("lease statement, ms", lease.millis() / lease.calls());
        row("lease statement, pages", lease.pages() / lease.calls());
        row("sequential scans", scans() - scans);
        CallLedger ledger = context.getBean(WaitingCalls.class).ledger();
        time(
                "count of waiting calls, ms",
                () -> context.getBean(CallEngine.class).backlog());
        time("first page of the list, ms", () -> ledger.list(CallLedger.Filter.ALL, null, 50));
        time("total of the list, ms", () -> ledger.count(CallLedger.Filter.ALL));
        time("groups of the list, ms", () -> ledger.groups(CallLedger.Filter.ALL, 50));
        row("table, MB", server.number("select pg_table_size('retryon_call')::float8") / 1e6);
        row("indexes, MB", server.number("select pg_indexes_size('retryon_call')::float8") / 1e6);
    }

    /** Statistics are written when a connection is idle for a while. */
    private double scans() throws InterruptedException {
        Thread.sleep(1500);
        return server.number("select seq_scan::float8 from pg_stat_user_tables where relname = 'retryon_call'");
    }

    private void time(String what, Runnable reading) {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            long start = System.nanoTime();
            reading.run();
            millis.add((System.nanoTime() - start) / 1e6);
        }
        row(what, Collections.min(millis));
    }

    private void row(String what, double value) {
        out.printf(Locale.ROOT, "| %-48s | %,12.2f |%n", what, value);
    }
}

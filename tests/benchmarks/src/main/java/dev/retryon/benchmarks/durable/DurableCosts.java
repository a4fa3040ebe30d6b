/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.durable;

import java.io.PrintStream;
import java.util.Locale;
import org.springframework.context.ConfigurableApplicationContext;

/** Counts the statements, the log and the CPU time of PostgreSQL that a durable call causes, when it is stored and when it is run. */
final class DurableCosts {

    private static final int WARM_UP_ROUNDS = 2;

    private final CountingServer server;

    private final int calls;

    private final PrintStream out;

    private DurableCosts(CountingServer server, int calls, PrintStream out) {
        this.server = server;
        this.calls = calls;
        this.out = out;
    }

    /** Prints them. */
    static void print(int calls, PrintStream out) throws Exception {
        try (CountingServer server = new CountingServer();
                ConfigurableApplicationContext context = DurableApplication.start(server.properties())) {
            out.printf("%n## Per durable call on PostgreSQL, of %,d calls%n", calls);
            new DurableCosts(server, calls, out).print(context);
        }
    }

    private void print(ConfigurableApplicationContext context) throws Exception {
        Arrivals arrivals = context.getBean(Arrivals.class);
        Workers workers = RetryOnWorkers.of(context);
        workers.end();
        DurableMeasurement measurement = new DurableMeasurement(arrivals);
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            measurement.rates(workers, calls);
        }
        arrivals.expect(calls);
        server.jdbc().sql("truncate retryon_call").update();
        server.reset();
        DurableMeasurement.store(workers, calls);
        report("stored");
        out.printf(
                Locale.ROOT,
                "  a waiting call: %.0f bytes with its indexes, %.0f of them its content%n",
                server.number("select pg_total_relation_size('retryon_call')::float8 / count(*) from retryon_call"),
                server.number("select avg(length(task_data))::float8 from retryon_call"));
        server.reset();
        workers.begin();
        arrivals.await();
        workers.end();
        report("run");
    }

    private void report(String what) {
        CountingServer.Statements all = server.statements("%");
        out.printf(
                Locale.ROOT,
                "%n%s: %.0f bytes of WAL, %.1f statements, %.3f ms in them, %.3f ms of CPU%n",
                what,
                server.walBytes() / calls,
                all.calls() / calls,
                all.millis() / calls,
                server.cpuMillis() / calls);
        server.jdbc()
                .sql("select calls::float8 / ? as times, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) as text"
                        + " from pg_stat_statements where calls > ? order by calls desc")
                .params(calls, calls / 100)
                .query(row -> {
                    out.printf(Locale.ROOT, "  %5.2f  %s%n", row.getDouble("times"), row.getString("text"));
                });
    }
}

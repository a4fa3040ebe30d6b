/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.durable;

import dev.retryon.durable.internal.call.DurableLifecycle;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.PrintStream;
import java.util.Locale;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Counts the statements and the log of PostgreSQL that a durable call causes, when it is stored and when it is run. */
final class DurableCosts {

    private static final int WARM_UP_ROUNDS = 2;

    private final JdbcClient jdbc;

    private final int calls;

    private final PrintStream out;

    private DurableCosts(JdbcClient jdbc, int calls, PrintStream out) {
        this.jdbc = jdbc;
        this.calls = calls;
        this.out = out;
    }

    /** Prints them, on a server that counts statements. */
    static void print(int calls, PrintStream out) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                        .start();
                ConfigurableApplicationContext context = DurableApplication.start(DurableDatabase.properties(server))) {
            JdbcClient jdbc = JdbcClient.create(server.getPostgresDatabase());
            jdbc.sql("create extension pg_stat_statements").update();
            out.printf("%n## Per durable call on PostgreSQL, of %,d calls%n", calls);
            new DurableCosts(jdbc, calls, out).print(context);
        }
    }

    private void print(ConfigurableApplicationContext context) throws Exception {
        Arrivals arrivals = context.getBean(Arrivals.class);
        Workers workers = new RetryOnWorkers(context.getBean(Orders.class), context.getBean(DurableLifecycle.class));
        workers.end();
        DurableMeasurement measurement = new DurableMeasurement(arrivals);
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            measurement.rates(workers, calls);
        }
        arrivals.expect(calls);
        jdbc.sql("truncate retryon_call").update();
        String start = reset();
        DurableMeasurement.store(workers, calls);
        report("stored", start);
        out.printf(
                Locale.ROOT,
                "  a waiting call: %.0f bytes with its indexes, %.0f of them its content%n",
                number("select pg_total_relation_size('retryon_call')::float8 / count(*) from retryon_call"),
                number("select avg(length(task_data))::float8 from retryon_call"));
        start = reset();
        workers.begin();
        arrivals.await();
        workers.end();
        report("run", start);
    }

    /** Starts to count; returns the place in the log. */
    private String reset() {
        jdbc.sql("select pg_stat_statements_reset()").query().singleRow();
        return jdbc.sql("select pg_current_wal_lsn()::text").query(String.class).single();
    }

    private double number(String statement) {
        return jdbc.sql(statement).query(Double.class).single();
    }

    private void report(String what, String start) {
        jdbc.sql("select pg_wal_lsn_diff(pg_current_wal_lsn(), ?::pg_lsn)::float8 / ?,"
                        + " sum(calls)::float8 / ?, sum(total_exec_time)::float8 / ? from pg_stat_statements")
                .params(start, calls, calls, calls)
                .query(row -> {
                    out.printf(
                            Locale.ROOT,
                            "%n%s: %.0f bytes of WAL, %.1f statements, %.3f ms in them%n",
                            what,
                            row.getDouble(1),
                            row.getDouble(2),
                            row.getDouble(3));
                });
        jdbc.sql("select calls::float8 / ? as times, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) as text"
                        + " from pg_stat_statements where calls > ? order by calls desc")
                .params(calls, calls / 100)
                .query(row -> {
                    out.printf(Locale.ROOT, "  %5.2f  %s%n", row.getDouble("times"), row.getString("text"));
                });
    }
}

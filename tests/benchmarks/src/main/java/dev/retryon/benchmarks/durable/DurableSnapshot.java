/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.CountingServer.Statements;
import dev.retryon.benchmarks.durable.DurableMeasurement.Times;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.springframework.context.ConfigurableApplicationContext;

/** Measures a stream of durable calls on PostgreSQL while a transaction keeps its snapshot, and with other settings of the table. */
final class DurableSnapshot {

    private static final int PER_SECOND = 400;

    private static final int WINDOW_SECONDS = 10;

    private static final int WARM_UP_ROUNDS = 3;

    private static final int WARM_UP_CALLS = 5_000;

    private static final List<Variant> VARIANTS = List.of(
            new Variant("snapshot-none", false, List.of()),
            new Variant("snapshot-open", true, List.of()),
            new Variant("snapshot-fillfactor", true, List.of("alter table retryon_call set (fillfactor = 50)")),
            new Variant(
                    "snapshot-autovacuum",
                    true,
                    List.of("alter table retryon_call set (autovacuum_vacuum_scale_factor = 0,"
                            + " autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)")));

    private final CountingServer server;

    private final Arrivals arrivals;

    private final PrintStream out;

    private DurableSnapshot(CountingServer server, Arrivals arrivals, PrintStream out) {
        this.server = server;
        this.arrivals = arrivals;
        this.out = out;
    }

    private record Variant(String name, boolean snapshot, List<String> statements) {}

    /** Measures the variants whose names match. The transaction is open in the middle two thirds of the time. */
    static void print(Pattern only, int seconds, PrintStream out) throws Exception {
        for (Variant variant : VARIANTS) {
            if (only.matcher(variant.name()).find()) {
                try (CountingServer server = new CountingServer();
                        ConfigurableApplicationContext context = DurableApplication.start(server.properties())) {
                    Workers workers = RetryOnWorkers.of(context);
                    Arrivals arrivals = context.getBean(Arrivals.class);
                    workers.end();
                    for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                        new DurableMeasurement(arrivals).rates(workers, WARM_UP_CALLS);
                    }
                    server.jdbc().sql("truncate retryon_call").update();
                    workers.begin();
                    out.printf("%n## %d calls per second on PostgreSQL: %s%n%n", PER_SECOND, variant.name());
                    new DurableSnapshot(server, arrivals, out)
                            .measure(context.getBean(Orders.class), variant, seconds / WINDOW_SECONDS);
                }
            }
        }
    }

    private void measure(Orders orders, Variant variant, int windows) throws Exception {
        for (String statement : variant.statements()) {
            server.jdbc().sql(statement).update();
        }
        ScheduledExecutorService callers = Executors.newScheduledThreadPool(DurableMeasurement.CALLERS);
        try (Connection other = server.connection()) {
            long micros = TimeUnit.SECONDS.toMicros(DurableMeasurement.CALLERS) / PER_SECOND;
            for (int i = 0; i < DurableMeasurement.CALLERS; i++) {
                var unused = callers.scheduleAtFixedRate(
                        () -> orders.accept(String.valueOf(System.nanoTime())), micros, micros, TimeUnit.MICROSECONDS);
            }
            out.println(
                    "| until, s | snapshot | run/s | delay p50, ms | p99, ms | lease, ms | pages | dead rows | CPU, % | MB |");
            for (int window = 0; window < windows; window++) {
                boolean open = variant.snapshot() && window >= windows / 6 && window < windows - windows / 6;
                snapshot(other, open);
                window(window, open);
            }
        } finally {
            callers.shutdownNow();
        }
    }

    private static void snapshot(Connection other, boolean open) throws Exception {
        if (open && other.getAutoCommit()) {
            other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("select 1 from retryon_call limit 1");
            }
        } else if (!open) {
            other.setAutoCommit(true); // ends the transaction
        }
    }

    private void window(int number, boolean open) throws InterruptedException {
        server.reset();
        arrivals.take();
        TimeUnit.SECONDS.sleep(WINDOW_SECONDS);
        double[] delays = arrivals.take().entrySet().stream()
                .mapToDouble(arrival -> arrival.getValue() - Long.parseLong(arrival.getKey()))
                .toArray();
        Times times = delays.length == 0 ? new Times(0, 0) : Times.of(delays);
        Statements lease = server.statements(CountingServer.LEASE);
        out.printf(
                Locale.ROOT,
                "| %3d | %-5s | %,5d | %,8.1f | %,8.1f | %8.2f | %,8.0f | %,9.0f | %4.0f | %6.1f |%n",
                (number + 1) * WINDOW_SECONDS,
                open ? "open" : "",
                delays.length / WINDOW_SECONDS,
                times.p50(),
                times.p99(),
                lease.millis() / lease.calls(),
                lease.pages() / lease.calls(),
                server.number("select n_dead_tup::float8 from pg_stat_user_tables where relname = 'retryon_call'"),
                server.cpuMillis() / WINDOW_SECONDS / 10,
                server.number("select pg_total_relation_size('retryon_call')::float8") / 1e6);
    }
}

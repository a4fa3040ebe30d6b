// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.CountingServer.Statements;
import dev.retryon.benchmarks.durable.DurableMeasurement.Times;
import dev.retryon.benchmarks.measure.SingleRun;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A stream of durable calls on PostgreSQL while another transaction keeps its snapshot, and with other settings of the table.
 * An iteration is a window of ten seconds. The transaction is open in the middle two thirds of the iterations.
 */
public class SnapshotBenchmark extends SingleRun {

    private static final int PER_SECOND = 400;

    private static final int WINDOW_SECONDS = 10;

    private static final int WARM_UP_ROUNDS = 3;

    private static final int WARM_UP_CALLS = 5_000;

    @Benchmark
    @Measurement(iterations = 12)
    public void window(Stream stream, Figures figures) throws Exception {
        boolean open = stream.next();
        CountingServer server = stream.server;
        server.reset();
        stream.arrivals.take();
        TimeUnit.SECONDS.sleep(WINDOW_SECONDS);
        double[] delays = stream.arrivals.take().entrySet().stream()
                .mapToDouble(arrival -> arrival.getValue() - Long.parseLong(arrival.getKey()))
                .toArray();
        Times times = delays.length == 0 ? new Times(0, 0) : Times.of(delays);
        Statements lease = server.statements(CountingServer.LEASE);
        figures.open = open ? 1 : 0;
        figures.runPerSecond = delays.length / (double) WINDOW_SECONDS;
        figures.delayP50Millis = times.p50();
        figures.delayP99Millis = times.p99();
        figures.leaseMillis = lease.millis() / lease.calls();
        figures.leasePages = lease.pages() / lease.calls();
        figures.deadRows =
                server.number("select n_dead_tup::float8 from pg_stat_user_tables where relname = 'retryon_call'");
        figures.cpuPercent = server.cpuMillis() / WINDOW_SECONDS / 10;
        figures.megabytes = server.number("select pg_total_relation_size('retryon_call')::float8") / 1e6;
    }

    /** Whether there is a transaction, and the settings of the table. */
    public enum Variant {
        NONE,

        OPEN,

        FILLFACTOR("alter table retryon_call set (fillfactor = 50)"),

        AUTOVACUUM("alter table retryon_call set (autovacuum_vacuum_scale_factor = 0,"
                + " autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)");

        @SuppressWarnings("ImmutableEnumChecker") // List.of
        private final List<String> statements;

        Variant(String... statements) {
            this.statements = List.of(statements);
        }
    }

    /** The application, which stores and runs calls at a rate. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Stream {

        @Param
        public Variant snapshot;

        CountingServer server;

        Arrivals arrivals;

        private ConfigurableApplicationContext context;

        private ScheduledExecutorService callers;

        private Connection other;

        private int windows;

        private int window;

        @Setup
        public void start(BenchmarkParams benchmark) throws Exception {
            windows = benchmark.getMeasurement().getCount();
            server = new CountingServer();
            context = DurableApplication.start(server.properties());
            arrivals = context.getBean(Arrivals.class);
            other = server.connection();
            Workers workers = RetryOnWorkers.of(context);
            workers.end();
            for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                new DurableMeasurement(arrivals).rates(workers, WARM_UP_CALLS);
            }
            server.jdbc().sql("truncate retryon_call").update();
            for (String statement : snapshot.statements) {
                server.jdbc().sql(statement).update();
            }
            workers.begin();
            Orders orders = context.getBean(Orders.class);
            callers = Executors.newScheduledThreadPool(DurableMeasurement.CALLERS);
            long micros = TimeUnit.SECONDS.toMicros(DurableMeasurement.CALLERS) / PER_SECOND;
            for (int i = 0; i < DurableMeasurement.CALLERS; i++) {
                var unused = callers.scheduleAtFixedRate(
                        () -> orders.accept(String.valueOf(System.nanoTime())), micros, micros, TimeUnit.MICROSECONDS);
            }
        }

        /** Begins or ends the transaction for the next window. Returns whether it is open. */
        boolean next() throws Exception {
            boolean open = snapshot != Variant.NONE && window >= windows / 6 && window < windows - windows / 6;
            window++;
            if (open && other.getAutoCommit()) {
                other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                other.setAutoCommit(false);
                try (Statement statement = other.createStatement()) {
                    statement.execute("select 1 from retryon_call limit 1");
                }
            } else if (!open) {
                other.setAutoCommit(true); // ends the transaction
            }
            return open;
        }

        @TearDown
        public void close() throws Exception {
            callers.shutdownNow();
            other.close();
            context.close();
            server.close();
        }
    }

    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Figures {

        public int open;

        public double runPerSecond;

        public double delayP50Millis;

        public double delayP99Millis;

        public double leaseMillis;

        public double leasePages;

        public double deadRows;

        public double cpuPercent;

        public double megabytes;
    }
}

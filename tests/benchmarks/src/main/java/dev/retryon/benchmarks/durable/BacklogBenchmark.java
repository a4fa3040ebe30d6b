// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.CountingServer.Statements;
import dev.retryon.benchmarks.durable.DurableMeasurement.Rates;
import dev.retryon.benchmarks.durable.DurableMeasurement.Times;
import dev.retryon.benchmarks.measure.SingleRun;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.RuntimeChange;
import java.util.HashMap;
import java.util.Map;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.context.ConfigurableApplicationContext;

/** Durable calls on PostgreSQL beside many that wait. An iteration is a round. */
public class BacklogBenchmark extends SingleRun {

    private static final int SINGLES = 200;

    private static final String LANE = "paused";

    /** Replaces the only call with many. */
    private static final String COPIES =
            "with template as (delete from retryon_call returning *) insert into retryon_call (task_name, task_instance,"
                    + " task_data, execution_time, picked, version, name, error_type, attempt, started_at, lane)"
                    + " select task_name, gen_random_uuid()::text, task_data, now() + ?::interval + n * interval '1 ms',"
                    + " false, 1, name, error_type, attempt, started_at, lane from template, generate_series(1, ?) n";

    @Benchmark
    @Warmup(iterations = 3)
    @Measurement(iterations = 2)
    public void calls(Filled state, Figures figures) throws Exception {
        CountingServer server = state.server;
        double scans = state.scans();
        server.reset();
        Rates rates = state.measurement.rates(state.workers, state.calls);
        Statements lease = server.statements(CountingServer.LEASE);
        figures.storedPerSecond = rates.stored();
        figures.runPerSecond = rates.run();
        figures.cpuMillisPerCall = server.cpuMillis() / state.calls;
        Times single = state.measurement.single(state.workers, SINGLES);
        figures.requestP50Millis = single.p50();
        figures.requestP99Millis = single.p99();
        figures.leaseMillis = lease.millis() / lease.calls();
        figures.leasePages = lease.pages() / lease.calls();
        figures.sequentialScans = state.scans() - scans;
        figures.tableMegabytes = server.number("select pg_table_size('retryon_call')::float8") / 1e6;
        figures.indexMegabytes = server.number("select pg_indexes_size('retryon_call')::float8") / 1e6;
    }

    /** What gauges, limits and the endpoint read. Apart from the calls, because PostgreSQL counts these scans late. */
    @Benchmark
    @Warmup(iterations = 1)
    public void readings(Filled state, ReadingFigures figures) {
        CallEngine engine = state.context.getBean(CallEngine.class);
        StoredCalls.Filter open = StoredCalls.Filter.of(StoredCall.State.WAITING, StoredCall.State.RUNNING);
        CallStore store = state.context.getBean(CallStore.class);
        figures.countMillis = millis(engine::backlog);
        figures.firstPageMillis = millis(() -> store.list(open, null, 50));
        figures.totalMillis = millis(() -> store.count(open));
        figures.groupsMillis = millis(() -> store.groups(open, 50));
    }

    private static double millis(Runnable reading) {
        double fastest = Double.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long start = System.nanoTime();
            reading.run();
            fastest = Math.min(fastest, (System.nanoTime() - start) / 1e6);
        }
        return fastest;
    }

    /** Which calls wait. */
    public enum Backlog {
        NONE,

        NOT_DUE,

        PAUSED_LANE
    }

    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Filled {

        @Param
        public Backlog backlog;

        @Param("10000")
        public int waiting;

        @Param("10000")
        public int calls;

        CountingServer server;

        ConfigurableApplicationContext context;

        Workers workers;

        DurableMeasurement measurement;

        @Setup
        public void start() throws Exception {
            server = new CountingServer();
            Map<String, Object> properties = new HashMap<>(server.properties());
            properties.put("retryon.durable.lanes." + LANE + ".threads", 1);
            properties.put("retryon.methods[dev.retryon.benchmarks.durable.Orders#retry].durable.lane", LANE);
            context = DurableApplication.start(properties);
            workers = RetryOnWorkers.of(context);
            workers.end();
            measurement = new DurableMeasurement(context.getBean(Arrivals.class));
            if (backlog == Backlog.NOT_DUE) {
                workers.ask("waiting");
                fill("30 days");
            } else if (backlog == Backlog.PAUSED_LANE) {
                context.getBean(ChangesForAllNodes.class)
                        .change(
                                RuntimeChange.Scope.SELECTED,
                                "lanes/" + LANE,
                                Map.of("paused", "true"),
                                null,
                                "benchmark");
                workers.askLater("waiting");
                fill("-1 hour");
            }
        }

        private void fill(String due) {
            server.jdbc().sql(COPIES).params(due, waiting).update();
            // Autovacuum does this within a minute.
            server.jdbc().sql("analyze retryon_call").update();
        }

        /** Statistics are written when a connection is idle for a while. */
        private double scans() throws InterruptedException {
            Thread.sleep(1500);
            return server.number("select seq_scan::float8 from pg_stat_user_tables where relname = 'retryon_call'");
        }

        @TearDown
        public void close() throws Exception {
            context.close();
            server.close();
        }
    }

    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Figures {

        public double storedPerSecond;

        public double runPerSecond;

        public double cpuMillisPerCall;

        public double requestP50Millis;

        public double requestP99Millis;

        public double leaseMillis;

        public double leasePages;

        public double sequentialScans;

        public double tableMegabytes;

        public double indexMegabytes;
    }

    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class ReadingFigures {

        public double countMillis;

        public double firstPageMillis;

        public double totalMillis;

        public double groupsMillis;
    }
}

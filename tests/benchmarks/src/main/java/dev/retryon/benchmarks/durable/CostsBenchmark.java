// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.CountingServer.Statements;
import dev.retryon.benchmarks.measure.SingleRun;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.springframework.context.ConfigurableApplicationContext;

/** The statements, the log and the CPU time of PostgreSQL for each durable call, while it is stored and while it runs. */
public class CostsBenchmark extends SingleRun {

    private static final int WARM_UPS = 2;

    @Benchmark
    public void stored(Settings settings, StoredFigures figures) throws Exception {
        try (CountingServer server = new CountingServer();
                ConfigurableApplicationContext context = DurableApplication.start(server.properties())) {
            Workers workers = warmUp(context, settings.calls);
            server.jdbc().sql("truncate retryon_call").update();
            server.reset();
            DurableMeasurement.store(workers, settings.calls);
            figures.statements = server.statements("%").calls() / settings.calls;
            figures.inserts = server.statements("insert%").calls() / settings.calls;
            figures.statementMillis = server.statements("%").millis() / settings.calls;
            figures.walBytes = server.walBytes() / settings.calls;
            figures.cpuMillis = server.cpuMillis() / settings.calls;
            figures.rowBytes =
                    server.number("select pg_total_relation_size('retryon_call')::float8 / count(*) from retryon_call");
            figures.contentBytes = server.number("select avg(length(task_data))::float8 from retryon_call");
        }
    }

    @Benchmark
    public void run(Settings settings, RunFigures figures) throws Exception {
        try (CountingServer server = new CountingServer();
                ConfigurableApplicationContext context = DurableApplication.start(server.properties())) {
            Workers workers = warmUp(context, settings.calls);
            Arrivals arrivals = context.getBean(Arrivals.class);
            arrivals.expect(settings.calls);
            server.jdbc().sql("truncate retryon_call").update();
            DurableMeasurement.store(workers, settings.calls);
            server.reset();
            workers.begin();
            arrivals.await();
            workers.end();
            Statements all = server.statements("%");
            figures.statements = all.calls() / settings.calls;
            figures.leases = server.statements(CountingServer.LEASE).calls() / settings.calls;
            figures.deletes = server.statements("delete from retryon_call%").calls() / settings.calls;
            figures.statementMillis = all.millis() / settings.calls;
            figures.walBytes = server.walBytes() / settings.calls;
            figures.cpuMillis = server.cpuMillis() / settings.calls;
        }
    }

    private static Workers warmUp(ConfigurableApplicationContext context, int calls) throws Exception {
        Workers workers = RetryOnWorkers.of(context);
        workers.end();
        for (int i = 0; i < WARM_UPS; i++) {
            new DurableMeasurement(context.getBean(Arrivals.class)).rates(workers, calls);
        }
        return workers;
    }

    @State(Scope.Benchmark)
    public static class Settings {

        @Param("10000")
        public int calls;
    }

    /** For each call. The bytes of a row include its indexes, those of its content do not. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class StoredFigures {

        public double statements;

        public double inserts;

        public double statementMillis;

        public double walBytes;

        public double cpuMillis;

        public double rowBytes;

        public double contentBytes;
    }

    /** For each call. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class RunFigures {

        public double statements;

        public double leases;

        public double deletes;

        public double statementMillis;

        public double walBytes;

        public double cpuMillis;
    }
}

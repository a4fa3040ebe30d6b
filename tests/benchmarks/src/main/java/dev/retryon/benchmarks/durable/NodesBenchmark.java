// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.CountingServer.Statements;
import dev.retryon.benchmarks.durable.DurableMeasurement.Times;
import dev.retryon.benchmarks.measure.SingleRun;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.postgresql.PGConnection;
import org.springframework.context.ConfigurableApplicationContext;

/** Applications that share a PostgreSQL server: how they contend for calls, and when they run the calls of others. */
public class NodesBenchmark extends SingleRun {

    private static final int SINGLES = 60;

    private static final int ROUNDS = 5;

    private static final String ROLLBACKS =
            "select xact_rollback::float8 from pg_stat_database where datname = 'postgres'";

    private static final String LOCKED = "select count(*)::float8 from pg_stat_activity where wait_event_type = 'Lock'";

    private static final String NOTIFY = """
            create function retryon_notify() returns trigger language plpgsql as
                $$ begin notify retryon_call; return null; end $$;
            create trigger retryon_notify after insert on retryon_call
                for each statement execute function retryon_notify()""";

    /** Stores calls from all nodes, then runs them on all. */
    @Benchmark
    public void contend(Nodes settings, ContendFigures figures) throws Exception {
        List<ConfigurableApplicationContext> contexts = new ArrayList<>();
        try (CountingServer server = new CountingServer()) {
            try {
                for (int i = 0; i < settings.nodes; i++) {
                    contexts.add(DurableApplication.start(server.properties()));
                }
                contend(server, contexts, settings.calls, figures);
            } finally {
                contexts.forEach(ConfigurableApplicationContext::close);
            }
        }
    }

    private static void contend(
            CountingServer server, List<ConfigurableApplicationContext> contexts, int calls, ContendFigures figures)
            throws Exception {
        List<Workers> nodes = contexts.stream().map(RetryOnWorkers::of).toList();
        nodes.forEach(Workers::end);
        for (int i = 0; i < calls; i++) {
            nodes.get(i % nodes.size()).ask(String.valueOf(i));
        }
        server.reset();
        double rollbacks = server.number(ROLLBACKS);
        nodes.forEach(Workers::begin);
        while (runs(contexts) < calls) {
            TimeUnit.MILLISECONDS.sleep(20);
            figures.waitsForLocks += server.number(LOCKED);
        }
        nodes.forEach(Workers::end);
        Statements lease = server.statements(CountingServer.LEASE);
        Statements delete = server.statements("delete from retryon_call%");
        figures.runTwice = runs(contexts) - calls;
        figures.statementsPerCall = server.statements("%retryon_%").calls() / calls;
        figures.leased = lease.rows();
        figures.leases = lease.calls();
        figures.deleted = delete.rows();
        figures.deletes = delete.calls();
        figures.rollbacks = server.number(ROLLBACKS) - rollbacks;
    }

    private static int runs(List<ConfigurableApplicationContext> contexts) {
        return contexts.stream()
                .mapToInt(context -> context.getBean(Arrivals.class).runs())
                .sum();
    }

    /** The delay of calls that another node runs, and the cost and delay of NOTIFY instead. */
    @Benchmark
    public void wakeUp(Calls settings, WakeUpFigures figures) throws Exception {
        int calls = settings.calls;
        try (CountingServer server = new CountingServer();
                ConfigurableApplicationContext storing = DurableApplication.start(server.properties());
                Connection connection = server.connection()) {
            Workers workers = RetryOnWorkers.of(storing);
            Arrivals arrivals = storing.getBean(Arrivals.class);
            for (int i = 0; i < ROUNDS; i++) {
                new DurableMeasurement(arrivals).rates(workers, calls);
            }
            workers.begin();
            Times own = delays(workers, arrivals);
            figures.sameNodeP50Millis = own.p50();
            figures.sameNodeP99Millis = own.p99();
            workers.end();
            try (ConfigurableApplicationContext other = DurableApplication.start(server.properties())) {
                Times others = delays(workers, other.getBean(Arrivals.class));
                figures.otherNodeP50Millis = others.p50();
                figures.otherNodeP99Millis = others.p99();
            }
            double without = 0;
            double with = 0;
            for (int i = 0; i < ROUNDS; i++) {
                without += DurableMeasurement.store(workers, calls);
                server.jdbc().sql(NOTIFY).update();
                with += DurableMeasurement.store(workers, calls);
                server.jdbc().sql("drop function retryon_notify cascade").update();
                server.jdbc().sql("truncate retryon_call").update();
            }
            figures.storedRatioWithNotify = without / with;
            server.jdbc().sql(NOTIFY).update();
            Times notices = notices(workers, connection);
            figures.notifyP50Millis = notices.p50();
            figures.notifyP99Millis = notices.p99();
        }
    }

    /** Waits for a random time, because polls are regular. */
    private static String order() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(1000));
        return String.valueOf(System.nanoTime());
    }

    private static Times delays(Workers storing, Arrivals running) throws Exception {
        double[] delays = new double[SINGLES];
        for (int i = 0; i < SINGLES; i++) {
            running.expect(1);
            String order = order();
            storing.ask(order);
            running.await();
            delays[i] = running.timeOf(order) - Long.parseLong(order);
        }
        return Times.of(delays);
    }

    private static Times notices(Workers storing, Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("listen retryon_call");
        }
        double[] delays = new double[SINGLES];
        for (int i = 0; i < SINGLES; i++) {
            String order = order();
            storing.ask(order);
            connection.unwrap(PGConnection.class).getNotifications(0);
            delays[i] = System.nanoTime() - Long.parseLong(order);
        }
        return Times.of(delays);
    }

    @State(Scope.Benchmark)
    public static class Calls {

        @Param("10000")
        public int calls;
    }

    @State(Scope.Benchmark)
    public static class Nodes {

        @Param({"1", "2", "4"})
        public int nodes;

        @Param("10000")
        public int calls;
    }

    /** Waits for locks are the sum of all samples, one each 20 ms. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class ContendFigures {

        public double runTwice;

        public double statementsPerCall;

        public double leased;

        public double leases;

        public double deleted;

        public double deletes;

        public double waitsForLocks;

        public double rollbacks;
    }

    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class WakeUpFigures {

        public double sameNodeP50Millis;

        public double sameNodeP99Millis;

        public double otherNodeP50Millis;

        public double otherNodeP99Millis;

        public double notifyP50Millis;

        public double notifyP99Millis;

        public double storedRatioWithNotify;
    }
}

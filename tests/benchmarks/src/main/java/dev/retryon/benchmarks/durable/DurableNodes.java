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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.springframework.context.ConfigurableApplicationContext;

/** Measures applications that share a PostgreSQL server: how they contend for calls, and when they run the calls of others. */
final class DurableNodes {

    private static final int[] NODES = {1, 2, 4};

    private static final int SINGLES = 60;

    private static final int ROUNDS = 5;

    private static final String ROLLBACKS =
            "select xact_rollback::float8 from pg_stat_database where datname = 'postgres'";

    private static final String NOTIFY = """
            create function retryon_notify() returns trigger language plpgsql as
                $$ begin notify retryon_call; return null; end $$;
            create trigger retryon_notify after insert on retryon_call
                for each statement execute function retryon_notify()""";

    private DurableNodes() {}

    static void print(Pattern only, int calls, PrintStream out) throws Exception {
        if (only.matcher("nodes").find()) {
            out.printf("%n## Applications on one PostgreSQL, %,d calls%n%n", calls);
            out.println("| nodes | run twice | statements | leases | deletes | waits for locks | rollbacks |");
            for (int nodes : NODES) {
                contend(nodes, calls, out);
            }
        }
        if (only.matcher("wake-up").find()) {
            wakeUp(calls, out);
        }
    }

    /** Stores calls from all nodes, then runs them on all. */
    private static void contend(int number, int calls, PrintStream out) throws Exception {
        List<ConfigurableApplicationContext> contexts = new ArrayList<>();
        try (CountingServer server = new CountingServer()) {
            for (int i = 0; i < number; i++) {
                contexts.add(DurableApplication.start(server.properties()));
            }
            List<Workers> nodes = contexts.stream().map(RetryOnWorkers::of).toList();
            nodes.forEach(Workers::end);
            for (int i = 0; i < calls; i++) {
                nodes.get(i % number).ask(String.valueOf(i));
            }
            server.reset();
            double rollbacks = server.number(ROLLBACKS);
            nodes.forEach(Workers::begin);
            int waits = 0;
            while (runs(contexts) < calls) {
                TimeUnit.MILLISECONDS.sleep(20);
                waits += (int)
                        server.number("select count(*)::float8 from pg_stat_activity where wait_event_type = 'Lock'");
            }
            nodes.forEach(Workers::end);
            Statements all = server.statements("%retryon_%");
            Statements lease = server.statements(CountingServer.LEASE);
            Statements delete = server.statements("delete from retryon_call%");
            out.printf(
                    Locale.ROOT,
                    "| %5d | %9d | %10.2f | %,.0f in %,.0f | %,.0f in %,.0f | %15d | %9.0f |%n",
                    number,
                    runs(contexts) - calls,
                    all.calls() / calls,
                    lease.rows(),
                    lease.calls(),
                    delete.rows(),
                    delete.calls(),
                    waits,
                    server.number(ROLLBACKS) - rollbacks);
        } finally {
            contexts.forEach(ConfigurableApplicationContext::close);
        }
    }

    private static int runs(List<ConfigurableApplicationContext> contexts) {
        return contexts.stream()
                .mapToInt(context -> context.getBean(Arrivals.class).runs())
                .sum();
    }

    /** The delay of calls that another node runs, and what NOTIFY would take and give instead. */
    private static void wakeUp(int calls, PrintStream out) throws Exception {
        try (CountingServer server = new CountingServer();
                ConfigurableApplicationContext storing = DurableApplication.start(server.properties());
                Connection connection = server.connection()) {
            Workers workers = RetryOnWorkers.of(storing);
            Arrivals arrivals = storing.getBean(Arrivals.class);
            for (int i = 0; i < ROUNDS; i++) {
                new DurableMeasurement(arrivals).rates(workers, calls);
            }
            workers.begin();
            out.printf("%n## Delay of a call on PostgreSQL%n%n| | p50, ms | p99, ms |%n");
            row(out, "run by the node that stores it", delays(workers, arrivals));
            workers.end();
            try (ConfigurableApplicationContext other = DurableApplication.start(server.properties())) {
                row(out, "run by another node", delays(workers, other.getBean(Arrivals.class)));
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
            server.jdbc().sql(NOTIFY).update();
            row(out, "notified by the database", notices(workers, connection));
            out.printf(Locale.ROOT, "%nStored per second with NOTIFY: %.2f of those without%n", without / with);
        }
    }

    /** At random moments, because polls are regular. */
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

    private static void row(PrintStream out, String what, Times times) {
        out.printf(Locale.ROOT, "| %-32s | %8.1f | %8.1f |%n", what, times.p50(), times.p99());
    }
}

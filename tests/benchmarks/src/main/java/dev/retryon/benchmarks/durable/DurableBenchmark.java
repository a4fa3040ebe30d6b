// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import dev.retryon.benchmarks.durable.DurableMeasurement.Rates;
import dev.retryon.benchmarks.durable.DurableMeasurement.Times;
import dev.retryon.benchmarks.measure.SingleRun;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Durable calls compared with db-scheduler alone, in turn in one JVM and on the same table. An iteration is a round. */
public class DurableBenchmark extends SingleRun {

    private static final int SINGLES = 200;

    private static final int KEYS = 200;

    private static final String TEMPLATE = "waiting";

    private static final Duration LONG = Duration.ofDays(30);

    private static final String COPIES = "insert into " + RetryStore.CALLS
            + " (task_name, task_instance, task_data, execution_time, picked, version)"
            + " with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)"
            + " select task_name, concat(task_instance, '-', n), task_data, execution_time, picked, version"
            + " from " + RetryStore.CALLS + " cross join numbers where task_instance = '" + TEMPLATE + "'";

    /** Calls per second. The compiler of the JVM needs tens of thousands of calls of each side, hence the warm-up. */
    @Benchmark
    @Warmup(iterations = 5)
    @Measurement(iterations = 3)
    public void rates(Contenders contenders, RateFigures figures) throws Exception {
        compare(contenders.measurement, contenders.bare, contenders.ours, contenders.calls, figures);
    }

    /** Calls per second with an order key, compared with the same calls without one. */
    @Benchmark
    @Warmup(iterations = 5)
    @Measurement(iterations = 3)
    public void ordered(Application application, Callers callers, RateFigures figures) throws Exception {
        compare(application.measurement, callers.free, callers.ordered, application.calls, figures);
    }

    private static void compare(
            DurableMeasurement measurement, Workers baseline, Workers measured, int calls, RateFigures figures)
            throws Exception {
        Rates other = measurement.rates(baseline, calls);
        Rates ours = measurement.rates(measured, calls);
        figures.storedByBaseline = other.stored();
        figures.stored = ours.stored();
        figures.storedRatio = ours.stored() / other.stored();
        figures.runByBaseline = other.run();
        figures.run = ours.run();
        figures.runRatio = ours.run() / other.run();
    }

    /** Delays in milliseconds, beside calls that are not due. */
    @Benchmark
    public void delays(Waiting waiting, DelayFigures figures) throws Exception {
        Contenders contenders = waiting.contenders;
        DurableMeasurement measurement = contenders.measurement;
        Times bareRetry = measurement.lag(contenders.bare, SINGLES);
        Times ourRetry = measurement.lag(contenders.ours, SINGLES);
        figures.startOfDbScheduler = measurement.start(contenders.bare);
        figures.startOfRetryOn = measurement.start(contenders.ours);
        Times bareRequest = measurement.single(contenders.bare, SINGLES);
        Times ourRequest = measurement.single(contenders.ours, SINGLES);
        figures.retryP50OfDbScheduler = bareRetry.p50();
        figures.retryP50OfRetryOn = ourRetry.p50();
        figures.retryP99OfDbScheduler = bareRetry.p99();
        figures.retryP99OfRetryOn = ourRetry.p99();
        figures.requestP50OfDbScheduler = bareRequest.p50();
        figures.requestP50OfRetryOn = ourRequest.p50();
        figures.requestP99OfDbScheduler = bareRequest.p99();
        figures.requestP99OfRetryOn = ourRequest.p99();
    }

    /** The application. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Application {

        @Param({"SQLITE", "POSTGRESQL"})
        public DurableDatabase database;

        /** The calls of a round. */
        @Param("10000")
        public int calls;

        DurableDatabase.Opened opened;

        ConfigurableApplicationContext context;

        RetryStore store;

        Arrivals arrivals;

        Workers ours;

        DurableMeasurement measurement;

        @Setup
        public void start() throws Exception {
            opened = database.open();
            context = DurableApplication.start(opened.properties());
            store = context.getBean(StoreChoice.class).get();
            arrivals = context.getBean(Arrivals.class);
            ours = RetryOnWorkers.of(context);
            ours.end();
            measurement = new DurableMeasurement(arrivals);
        }

        @TearDown
        public void close() throws Exception {
            context.close();
            opened.close();
        }
    }

    /** Those who store calls, without and with an order key. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Callers {

        /** Whether a call is stored in a transaction that also inserts a row of the caller; never in the embedded store. */
        @Param({"false", "true"})
        public boolean transactions;

        Workers free;

        Workers ordered;

        @Setup
        public void start(Application application) {
            ConfigurableApplicationContext context = application.context;
            Orders orders = context.getBean(Orders.class);
            AtomicInteger calls = new AtomicInteger();
            free = RetryOnWorkers.of(context, caller(context, orders::accept));
            ordered = RetryOnWorkers.of(
                    context, caller(context, order -> orders.acceptInOrder(calls.getAndIncrement() % KEYS, order)));
        }

        private Consumer<String> caller(ConfigurableApplicationContext context, Consumer<String> storing) {
            TransactionTemplate transaction =
                    context.getBeanProvider(TransactionTemplate.class).getIfAvailable();
            if (!transactions || transaction == null) {
                return storing;
            }
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("create table if not exists placed (id varchar(36) primary key)");
            return order -> transaction.executeWithoutResult(status -> {
                jdbc.update("insert into placed (id) values (?)", order);
                storing.accept(order);
            });
        }
    }

    /** The application, and db-scheduler beside it. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Contenders extends Application {

        BareWorkers bare;

        @Setup
        public void startBare() throws Exception {
            bare = new BareWorkers(store, arrivals, payload());
        }

        private byte[] payload() throws Exception {
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
    }

    /** The contenders after a warm-up, and calls that are not due. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Waiting {

        private static final int WARM_UPS = 5;

        @Param({"0", "10000"})
        public int waiting;

        Contenders contenders;

        @Setup
        public void fill(Contenders started) throws Exception {
            contenders = started;
            for (int i = 0; i < WARM_UPS; i++) {
                started.measurement.rates(started.bare, started.calls);
                started.measurement.rates(started.ours, started.calls);
            }
            if (waiting > 0) {
                started.bare.ask(TEMPLATE, Instant.now().plus(LONG));
                started.store.jdbc().sql(COPIES).param(waiting).update();
            }
        }
    }

    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class RateFigures {

        public double storedByBaseline;

        public double stored;

        public double storedRatio;

        public double runByBaseline;

        public double run;

        public double runRatio;
    }

    /** Of a due retry, from the start of the workers to the first call, and from a request until its call runs. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class DelayFigures {

        public double retryP50OfDbScheduler;

        public double retryP50OfRetryOn;

        public double retryP99OfDbScheduler;

        public double retryP99OfRetryOn;

        public double startOfDbScheduler;

        public double startOfRetryOn;

        public double requestP50OfDbScheduler;

        public double requestP50OfRetryOn;

        public double requestP99OfDbScheduler;

        public double requestP99OfRetryOn;
    }
}

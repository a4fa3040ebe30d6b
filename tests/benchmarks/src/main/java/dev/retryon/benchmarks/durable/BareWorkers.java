// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.MariaDBJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.MySQL8JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.SqliteJdbcCustomization;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.retryon.durable.internal.store.RetryStore;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** db-scheduler alone, on RetryOn's table and connections and with its settings. */
final class BareWorkers implements Workers {

    private static final String TASK = "retryon";

    /** The index that db-scheduler recommends. Its statements cannot use RetryOn's index. RetryOn also maintains this index. */
    private static final String INDEX = "create index bare_due on " + RetryStore.CALLS + " (execution_time)";

    private final RetryStore store;

    private final byte[] payload;

    private final OneTimeTask<byte[]> task;

    private Scheduler scheduler;

    private boolean running;

    /** @param payload the data that RetryOn stores for a call */
    BareWorkers(RetryStore store, Arrivals arrivals, byte[] payload) {
        this.store = store;
        this.payload = payload;
        store.jdbc().sql(INDEX).update();
        this.task =
                Tasks.oneTime(TASK, byte[].class).execute((instance, context) -> arrivals.arrived(instance.getId()));
        this.scheduler = scheduler();
    }

    private Scheduler scheduler() {
        JdbcCustomization dialect = dialect();
        SchedulerBuilder builder = Scheduler.create(store.dataSource(), task)
                .tableName(RetryStore.CALLS)
                .serializer(new Bytes())
                .jdbcCustomization(dialect)
                .threads(DurableApplication.THREADS)
                .pollingInterval(DurableApplication.POLL_INTERVAL)
                .shutdownMaxWait(Duration.ofSeconds(10));
        // RetryOn polls as soon as one thread is free. Otherwise, slow calls would delay quick ones.
        double lookBelow = 1.0 - 0.5 / DurableApplication.THREADS;
        return dialect.supportsSingleStatementLockAndFetch() || dialect.supportsGenericLockAndFetch()
                ? builder.pollUsingLockAndFetch(lookBelow, 1.0).build()
                : builder.pollUsingFetch(lookBelow, 3.0).build();
    }

    private JdbcCustomization dialect() {
        return switch (store.database()) {
            case POSTGRESQL -> new PostgreSqlJdbcCustomization(false, false);
            case MARIADB -> new MariaDBJdbcCustomization(true);
            case MYSQL -> new MySQL8JdbcCustomization(true);
            case SQLITE -> new SqliteJdbcCustomization();
            case H2 -> throw new UnsupportedOperationException();
        };
    }

    @Override
    public void begin() {
        running = true;
        scheduler.start();
    }

    @Override
    public void end() {
        running = false;
        scheduler.stop();
        // A scheduler starts once.
        scheduler = scheduler();
    }

    @Override
    public void ask(String order) {
        ask(order, Instant.now());
        if (running) {
            scheduler.triggerCheckForDueExecutions();
        }
    }

    @Override
    public long askLater(String order) {
        long due = System.nanoTime() + Orders.DELAY.toNanos();
        ask(order, Instant.now().plus(Orders.DELAY));
        return due;
    }

    void ask(String order, Instant due) {
        if (!scheduler.scheduleIfNotExists(task.instance(order, payload), due)) {
            throw new IllegalStateException(order + " is there");
        }
    }

    private static final class Bytes implements Serializer {

        @Override
        public byte[] serialize(Object data) {
            return (byte[]) data;
        }

        @Override
        public <T> T deserialize(Class<T> type, byte @Nullable [] data) {
            return type.cast(data != null ? data : new byte[0]);
        }
    }
}

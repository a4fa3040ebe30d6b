// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.store.RetryStore;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** MariaDB has no times with a zone: they are stored in UTC only if the driver and db-scheduler are told so. */
@Tag("database")
class HazardsOnMariaDbTests extends DurabilityHazardsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mariaDb().withPropertyValues("trial.times=datetime(6)");
    }

    @Override
    String utc(String column) {
        return column;
    }

    /** The table has 20,000 waiting calls and 1,000 leased ones. A page of the table has a few of them, one of the index many. */
    @Test
    void countsReadTheIndexAndNoCall() {
        database().withPropertyValues("retryon.durable.threads=0").run(context -> {
            RetryStore store = DurableTrial.store(context);
            insert(store, 1, 20_000, false);
            insert(store, 20_001, 21_000, true);
            CallEngine engine = context.getBean(CallEngine.class);
            Map<String, CallEngine.Backlog> counted = new HashMap<>();

            // The server learns of the number of rows a moment later, and other tests might use it.
            await().untilAsserted(() -> assertThat(pagesReadBy(store, () -> counted.putAll(engine.backlog())))
                    .isLessThan(pagesOfAnIndex()));
            assertThat(counted.get("default").waiting()).isEqualTo(20_000);
        });
    }

    private void insert(RetryStore store, int from, int to, boolean picked) {
        store.jdbc()
                .sql(
                        "insert into retryon_call (task_name, task_instance, task_data, execution_time, picked, last_heartbeat,"
                                + " version, name, attempt, started_at, lane) select '" + store.application()
                                + "', concat('call-', seq), repeat('x', 1000), timestampadd(second, seq, '2099-01-01'), "
                                + picked
                                + ", utc_timestamp(), 1, 'Mails.send', 1, 0, 'default' from " + numbers(from, to))
                .update();
    }

    /** More than a scan of an index of 20,000 calls reads, and less than one of the calls does. */
    int pagesOfAnIndex() {
        return 1_000;
    }

    /** A table of numbers whose column is {@code seq}. */
    String numbers(int from, int to) {
        return "seq_" + from + "_to_" + to;
    }

    /** The table of counters of the server. */
    String status() {
        return "information_schema.global_status";
    }

    final long pagesReadBy(RetryStore store, Runnable statement) {
        long before = pagesRead(store);
        statement.run();
        return pagesRead(store) - before;
    }

    private long pagesRead(RetryStore store) {
        return store.jdbc()
                .sql("select variable_value from " + status()
                        + " where variable_name = 'INNODB_BUFFER_POOL_READ_REQUESTS'")
                .query(Long.class)
                .single();
    }
}

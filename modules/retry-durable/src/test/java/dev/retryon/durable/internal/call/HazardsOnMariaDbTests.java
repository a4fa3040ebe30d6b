// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

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

            assertThat(pagesReadBy(store, () -> counted.putAll(engine.backlog())))
                    .isLessThan(1_000);
            assertThat(counted.get("default").waiting()).isEqualTo(20_000);
        });
    }

    private static void insert(RetryStore store, int from, int to, boolean picked) {
        store.jdbc()
                .sql(
                        "insert into retryon_call (task_name, task_instance, task_data, execution_time, picked, last_heartbeat,"
                                + " version, name, attempt, started_at, lane) select '" + store.application()
                                + "', concat('call-', seq), repeat('x', 1000), timestampadd(second, seq, '2099-01-01'), "
                                + picked
                                + ", utc_timestamp(), 1, 'Mails.send', 1, 0, 'default' from seq_" + from + "_to_" + to)
                .update();
    }

    private static long pagesReadBy(RetryStore store, Runnable statement) {
        long before = pagesRead(store);
        statement.run();
        return pagesRead(store) - before;
    }

    private static long pagesRead(RetryStore store) {
        return store.jdbc()
                .sql("select variable_value from information_schema.global_status"
                        + " where variable_name = 'INNODB_BUFFER_POOL_READ_REQUESTS'")
                .query(Long.class)
                .single();
    }
}

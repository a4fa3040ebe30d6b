// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.RetryStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("database")
class HazardsOnMySqlTests extends HazardsOnMariaDbTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mySql().withPropertyValues("trial.times=datetime(6)");
    }

    @Override
    String numbers(int from, int to) {
        return "(with recursive n (seq) as (select " + from + " union all select seq + 1 from n where seq < " + to
                + ") select /*+ SET_VAR(cte_max_recursion_depth = 100000) */ seq from n) numbers";
    }

    /** MySQL finds its place in the index again after each few entries, and counts that as a read. */
    @Override
    int pagesOfAnIndex() {
        return 2_000;
    }

    /** 20,000 dead letters. All of their rows would be 4,000 pages. */
    @Test
    void countsOfDeadLettersReadTheIndexAndNoRow() {
        database().withPropertyValues("retryon.durable.threads=0").run(context -> {
            RetryStore store = DurableTrial.store(context);
            store.jdbc()
                    .sql(
                            "insert into retryon_call (task_name, task_instance, execution_time, picked, version, name, state,"
                                    + " error_message, stack_trace, died_at) select '" + store.application()
                                    + "', concat('dead-', seq), '2000-01-01', false, 1, 'Mails.send', 'DEAD', 'down',"
                                    + " repeat('x', 1000), seq from " + numbers(1, 20_000))
                    .update();

            await().untilAsserted(() -> assertThat(pagesReadBy(
                            store,
                            () -> assertThat(store.calls().totals())
                                    .singleElement()
                                    .returns(20_000L, CallStore.Total::count)))
                    .isLessThan(pagesOfAnIndex()));
            await().untilAsserted(() -> assertThat(
                            pagesReadBy(store, () -> store.calls().count(StoredCalls.Filter.of(State.DEAD))))
                    .isLessThan(pagesOfAnIndex()));
        });
    }

    @Override
    String status() {
        return "performance_schema.global_status";
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.internal.store.TestPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** PostgreSQL is the one where calls are held as they are found. */
@Tag("database")
class HazardsOnPostgresTests extends DurabilityHazardsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.postgres().withPropertyValues("trial.bytes=bytea");
    }

    @Test
    void aCallIsFoundByItsKeyAlthoughStatisticsAreOfATimeWithFewCalls() {
        DriverManagerDataSource database = new DriverManagerDataSource(TestPostgres.database());
        new ResourceDatabasePopulator(new ClassPathResource("dev/retryon/durable/store/schema-postgresql.sql"))
                .execute(database);
        JdbcClient jdbc = JdbcClient.create(database);
        String calls = "insert into retryon_call (task_name, task_instance, execution_time, picked, version)"
                + " select 'shop', n::text, now(), false, 1 from generate_series(?, ?) n";
        jdbc.sql(calls).params(1, 1).update();
        jdbc.sql("vacuum analyze retryon_call").update();
        jdbc.sql(calls).params(2, 3000).update();

        assertThat(jdbc.sql("explain delete from retryon_call"
                                + " where task_name = 'shop' and task_instance = '2000' and version = 1")
                        .query(String.class)
                        .list())
                .anyMatch(line -> line.contains("retryon_call_pkey"));
    }
}

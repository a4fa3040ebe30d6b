// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.internal.store.RetryStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connections of the pool for stored calls. */
@Tag("database")
class StoreConnectionsTests {

    /** Each change would be a round trip. */
    @Test
    void doNotSwitchAutocommitOnMariaDb() {
        DurableTrial.mariaDb().run(context -> {
            RetryStore store = DurableTrial.store(context);

            Settings first = store.write(() -> settings(store));
            Settings second = store.write(() -> settings(store));

            assertThat(second.connection()).isEqualTo(first.connection());
            assertThat(second.changes()).isEqualTo(first.changes());
        });
    }

    private record Settings(long connection, long changes) {}

    private static Settings settings(RetryStore store) {
        long connection =
                store.jdbc().sql("select connection_id()").query(Long.class).single();
        long changes = store.jdbc()
                .sql("select variable_value from information_schema.session_status"
                        + " where variable_name = 'COM_SET_OPTION'")
                .query(Long.class)
                .single();
        return new Settings(connection, changes);
    }
}

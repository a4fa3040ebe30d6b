// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import org.junit.jupiter.api.Tag;

@Tag("database")
class MySqlCallStoreTests extends MariaDbCallStoreTests {

    @Override
    String url() {
        return TestMySql.database();
    }

    @Override
    Database database() {
        return Database.MYSQL;
    }
}

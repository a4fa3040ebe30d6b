// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real MySQL and MariaDB servers, with the driver of each. */
class TransientMySqlErrorsTests extends TransientErrors {

    @Override
    Object kindOf(SQLException error) {
        return error.getErrorCode();
    }

    @ParameterizedTest
    @CsvSource({"MYSQL, mysql", "MYSQL, mariadb", "MARIADB, mariadb", "MARIADB, mysql"})
    void theVictimOfADeadlockIsRetried(TestServer server, String driver) throws SQLException {
        twoAccounts(server.database(driver));
        // The transaction that has changed fewer rows is the victim.
        assertRetriedOnce(
                1213,
                inADeadlock("select 1", "insert into account values (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0)"));
    }

    @ParameterizedTest
    @CsvSource({
        "MYSQL, mysql, '', 1205",
        "MYSQL, mariadb, '', 1205",
        "MYSQL, mysql, nowait, 3572",
        "MYSQL, mariadb, nowait, 3572",
        "MARIADB, mariadb, '', 1205",
        "MARIADB, mysql, nowait, 1205"
    })
    void aLockTimeoutIsRetried(TestServer server, String driver, String wait, int code) throws SQLException {
        twoAccounts(server.database(driver));
        assertRetriedOnce(
                code,
                behindALock(
                        "set session innodb_lock_wait_timeout = 1",
                        "select amount from account where id = 1 for update " + wait));
    }

    @ParameterizedTest
    @CsvSource({"MYSQL, mysql", "MYSQL, mariadb", "MARIADB, mariadb", "MARIADB, mysql"})
    void aDuplicateKeyIsNotRetried(TestServer server, String driver) throws SQLException {
        twoAccounts(server.database(driver));
        assertADuplicateKeyIsNotRetried(1062);
    }
}

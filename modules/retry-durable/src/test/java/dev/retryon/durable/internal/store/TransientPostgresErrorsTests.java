// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A real PostgreSQL, whose errors have SQLSTATEs. */
class TransientPostgresErrorsTests extends TransientErrors {

    @BeforeEach
    void create() throws SQLException {
        twoAccounts(TestPostgres.database());
    }

    @Override
    Object kindOf(SQLException error) {
        return error.getSQLState();
    }

    @Test
    void aSerializationFailureIsRetried() {
        assertRetriedOnce("40001", attempt -> {
            try (Connection ours = begin();
                    Connection other = open()) {
                ours.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                run(ours, "select amount from account where id = 1");
                if (attempt == 1) {
                    run(other, "update account set amount = amount + 1 where id = 1");
                }
                run(ours, "update account set amount = amount + 1 where id = 1");
                ours.commit();
            }
        });
    }

    @Test
    void aLockTimeoutIsRetried() {
        assertRetriedOnce("55P03", behindALock("set local lock_timeout = '20ms'"));
    }

    @Test
    void theVictimOfADeadlockIsRetried() {
        // Who looks for deadlocks first is the victim.
        assertRetriedOnce(
                "40P01", inADeadlock("set local deadlock_timeout = '20ms'", "set local deadlock_timeout = '60s'"));
    }

    @Test
    void aDuplicateKeyIsNotRetried() {
        assertADuplicateKeyIsNotRetried("23505");
    }
}

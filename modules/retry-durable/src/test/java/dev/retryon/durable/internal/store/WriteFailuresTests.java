// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

class WriteFailuresTests {

    /** PostgreSQL refuses all else in a transaction that has failed, so only the larger write can be repeated. */
    @Test
    void aRefusalWithinALargerWriteIsLeftToThatWrite() {
        try (HikariDataSource dataSource = TestDatabase.pool("jdbc:h2:mem:failures;DB_CLOSE_DELAY=-1", 2)) {
            RetryStore store = TestDatabase.store(dataSource, Database.H2);
            WriteFailures failures = new WriteFailures(store);
            DataIntegrityViolationException refusal = new DataIntegrityViolationException("refused");

            assertThat(failures.add(refusal)).isEqualTo(WriteFailures.Reason.REFUSED);
            assertThat(store.write(() -> failures.add(refusal))).isEqualTo(WriteFailures.Reason.OUTAGE);
        }
    }
}

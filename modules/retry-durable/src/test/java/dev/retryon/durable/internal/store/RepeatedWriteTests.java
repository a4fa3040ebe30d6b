// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.UncategorizedSQLException;

class RepeatedWriteTests {

    private final List<RepeatedWrite.Reason> reasons = new ArrayList<>();

    private RepeatedWrite write(RetryStore store) {
        return new RepeatedWrite(store, (reason, error, isFirst) -> {
            reasons.add(reason);
            return reasons.size() < 3 && reason != RepeatedWrite.Reason.REFUSED ? Duration.ZERO : null;
        });
    }

    private static HikariDataSource pool() {
        return TestDatabase.pool("jdbc:h2:mem:failures;DB_CLOSE_DELAY=-1", 2);
    }

    /** PostgreSQL refuses all else in a transaction that has failed, so only the larger write can be repeated. */
    @Test
    void aRefusalWithinALargerWriteIsLeftToThatWrite() {
        try (HikariDataSource dataSource = pool()) {
            RetryStore store = TestDatabase.store(dataSource, Database.H2);
            DataIntegrityViolationException refusal = new DataIntegrityViolationException("refused");

            assertThat(write(store).<String>run(() -> fail(refusal), error -> "smaller"))
                    .isEqualTo("smaller");
            assertThat(reasons).containsExactly(RepeatedWrite.Reason.REFUSED);
            reasons.clear();
            assertThatThrownBy(() ->
                            store.write(() -> write(store).<String>run(() -> fail(refusal), error -> "smaller")))
                    .isSameAs(refusal);
            assertThat(reasons).containsOnly(RepeatedWrite.Reason.OUTAGE);
        }
    }

    private static <T> T fail(RuntimeException error) {
        throw error;
    }

    /** A caller can be interrupted, and its dead letter must not be lost. */
    @Test
    void anInterruptedThreadStillWritesWhatTheDatabaseTakes() {
        try (HikariDataSource dataSource = pool()) {
            RetryStore store = TestDatabase.store(dataSource, Database.H2);
            Thread.currentThread().interrupt();

            String written =
                    write(store).run(() -> fail(new DataIntegrityViolationException("no")), error -> "smaller");

            assertThat(Thread.interrupted()).isTrue();
            assertThat(written).isEqualTo("smaller");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "40001, 0, CONFLICT",
        "40P01, 0, CONFLICT",
        "HY000, 1020, CONFLICT",
        "HY000, 1205, CONFLICT",
        "40001, 1205, CONFLICT",
        "40000, 3101, CONFLICT",
        ", 5, CONFLICT",
        "25006, 0, OUTAGE",
        "42501, 0, OUTAGE",
        "42000, 1142, OUTAGE",
        "HY000, 1114, OUTAGE",
        "HY000, 1836, OUTAGE",
        "HY000, 3032, OUTAGE",
        "HY000, 3100, OUTAGE",
        ", 13, OUTAGE",
        "22001, 0, REFUSED",
        "HY000, 13, REFUSED",
        ", 19, REFUSED",
    })
    void eachErrorOfADatabaseHasItsReason(String state, int code, RepeatedWrite.Reason reason) {
        try (HikariDataSource dataSource = pool()) {
            RetryStore store = TestDatabase.store(dataSource, Database.H2);
            SQLException error = new SQLException("no", state, code);
            UncategorizedSQLException translated = new UncategorizedSQLException("insert", null, error);

            assertThatThrownBy(() -> write(store).run(() -> fail(translated), null))
                    .isSameAs(translated);
            assertThat(reasons).containsOnly(reason);
        }
    }
}

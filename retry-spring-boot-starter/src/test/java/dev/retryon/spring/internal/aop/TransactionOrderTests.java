// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions are inside: each attempt has its own, on a real database (docs/ordering.md). */
class TransactionOrderTests {

    private static final int ONCE_AN_ATTEMPT = 3;

    private final ApplicationContextRunner runner = Applications.retrying();

    private static int advisors(Object bean) {
        Advisor[] advisors = ((Advised) bean).getAdvisors();
        assertThat(advisors).filteredOn(RetryAdvisor.class::isInstance).hasSize(1);
        return (int) Arrays.stream(advisors)
                .filter(advisor -> !advisor.getAdvice().getClass().getName().contains("ExposeInvocation"))
                .count();
    }

    @Test
    void transactionsOnceAnAttempt() {
        withTransactions().run(context -> {
            Ledger ledger = context.getBean(Ledger.class);
            ledger.book();
            assertThat(ledger.outcomes())
                    .as("two rolled back, one committed")
                    .containsExactly(
                            TransactionSynchronization.STATUS_ROLLED_BACK,
                            TransactionSynchronization.STATUS_ROLLED_BACK,
                            TransactionSynchronization.STATUS_COMMITTED)
                    .hasSize(ONCE_AN_ATTEMPT);
            assertThat(rows(context.getBean(JdbcTemplate.class))).isEqualTo(1);
            assertThat(advisors(ledger)).as("one proxy has both").isEqualTo(2);
        });
    }

    @Test
    void aFailedCallLeavesNothingCommitted() {
        withTransactions().withPropertyValues("retryon.defaults.max-attempts=2").run(context -> {
            assertThatThrownBy(context.getBean(Ledger.class)::book).isInstanceOf(IOException.class);
            assertThat(rows(context.getBean(JdbcTemplate.class))).isZero();
        });
    }

    private ApplicationContextRunner withTransactions() {
        return runner.withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withPropertyValues("spring.datasource.generate-unique-name=true")
                .withBean(Ledger.class);
    }

    private static Integer rows(JdbcTemplate jdbc) {
        return jdbc.queryForObject("select count(*) from booking", Integer.class);
    }

    static class Ledger {

        private final JdbcTemplate jdbc;

        private final List<Integer> outcomes = new ArrayList<>();

        private int calls;

        Ledger(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("create table booking (id int)");
        }

        List<Integer> outcomes() {
            return outcomes;
        }

        @RetryOn(IOException.class)
        @Transactional(rollbackFor = Exception.class)
        public void book() throws IOException {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    outcomes.add(status);
                }
            });
            jdbc.update("insert into booking values (1)");
            if (++calls < 3) {
                throw new IOException();
            }
        }
    }
}

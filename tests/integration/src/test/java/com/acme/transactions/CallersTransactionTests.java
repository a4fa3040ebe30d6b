// SPDX-License-Identifier: Apache-2.0
package com.acme.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetriesConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Retried methods that are called within a transaction. */
@ExtendWith(OutputCaptureExtension.class)
class CallersTransactionTests {

    private final CapturedOutput output;

    CallersTransactionTests(CapturedOutput output) {
        this.output = output;
    }

    private static void run(ContextConsumer<AssertableApplicationContext> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withUserConfiguration(VirtualRetriesConfiguration.class)
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + System.nanoTime())
                .withBean(Orders.class)
                .withBean(Shop.class)
                .run(context -> {
                    context.getBean(JdbcTemplate.class).execute("create table orders (id int)");
                    test.accept(context);
                });
    }

    private static TransactionTemplate transaction(AssertableApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private String warnings() {
        return output.getAll()
                .lines()
                .filter(line -> line.contains("RETRYON-W22"))
                .toList()
                .toString();
    }

    @Test
    void noRetryFollowsAFailureThatMarksTheTransactionOfTheCaller() {
        run(context -> {
            Shop shop = context.getBean(Shop.class);

            for (int i = 0; i < 2; i++) {
                assertThatIllegalStateException().isThrownBy(shop::order).withMessage("attempt 1");
            }

            assertThat(context.getBean(RecordedRetries.class))
                    .of("Orders.take")
                    .attempted(1)
                    .failed(StopReason.ROLLBACK_ONLY);
            assertThat(warnings())
                    .containsOnlyOnce("Orders.take failed")
                    .contains("(" + Shop.class.getName() + ".order)");
        });
    }

    @Test
    void norIsOneMadeInATransactionThatWasBegunInCode() {
        run(context -> {
            Orders orders = context.getBean(Orders.class);

            assertThatIllegalStateException()
                    .isThrownBy(() -> transaction(context).executeWithoutResult(status -> orders.take()))
                    .withMessage("attempt 1");

            assertThat(context.getBean(RecordedRetries.class)).of("Orders.take").failed(StopReason.ROLLBACK_ONLY);
        });
    }

    @Test
    void eachAttemptWithATransactionOfItsOwnIsMade() {
        run(context -> {
            Orders orders = context.getBean(Orders.class);

            orders.take();
            transaction(context).executeWithoutResult(status -> orders.takeApart());

            assertThat(context.getBean(JdbcTemplate.class).queryForList("select id from orders", Integer.class))
                    .containsExactly(3, 3);
            assertThat(warnings()).isEqualTo("[]");
        });
    }

    @Test
    void workThatDoesNotTouchTheTransactionIsRetriedInIt() {
        run(context -> {
            Orders orders = context.getBean(Orders.class);

            int attempts = transaction(context).execute(status -> orders.call());

            assertThat(attempts).isEqualTo(3);
            assertThat(warnings()).isEqualTo("[]");
        });
    }

    @Test
    void soIsWhatRunsAfterARollback() {
        run(context -> {
            Orders orders = context.getBean(Orders.class);

            assertThatIllegalStateException()
                    .isThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int completion) {
                                orders.call();
                            }
                        });
                        orders.take();
                    }));

            assertThat(context.getBean(RecordedRetries.class))
                    .of("Orders.call")
                    .attempted(3)
                    .succeeded();
        });
    }

    @Test
    void soIsWhatRunsInAnInnerTransactionBegunInCode() {
        run(context -> {
            TransactionTemplate inner = transaction(context);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            Orders orders = context.getBean(Orders.class);

            context.getBean(Shop.class).refuse(() -> inner.executeWithoutResult(status -> orders.call()));

            assertThat(context.getBean(RecordedRetries.class))
                    .of("Orders.call")
                    .attempted(3)
                    .succeeded();
            assertThat(warnings()).isEqualTo("[]");
        });
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @RetryOn(IllegalStateException.class)
        @Transactional
        public void take() {
            insert();
        }

        @RetryOn(IllegalStateException.class)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void takeApart() {
            insert();
        }

        private void insert() {
            int attempt = RetryContext.current().attempt();
            jdbc.update("insert into orders values (?)", attempt);
            if (attempt < 3) {
                throw new IllegalStateException("attempt " + attempt);
            }
        }

        @RetryOn(IllegalStateException.class)
        public int call() {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new IllegalStateException("attempt " + attempt);
            }
            return attempt;
        }
    }

    static class Shop {

        private final Orders orders;

        Shop(Orders orders) {
            this.orders = orders;
        }

        @Transactional
        public void refuse(Runnable note) {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            note.run();
        }

        @Transactional
        public void order() {
            orders.take();
        }
    }
}

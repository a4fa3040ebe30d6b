// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aspectj.lang.annotation.AfterReturning;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest
@VirtualRetries
class OptimisticLockingRecipeTests {

    @Autowired
    private Reservations reservations;

    @Autowired
    private StockRepository stocks;

    @Autowired
    private OtherCustomer other;

    @Autowired
    private RecordedRetries retries;

    @BeforeEach
    void fill() {
        stocks.deleteAll();
        stocks.save(new Stock("tea", 10));
        retries.clear();
    }

    @Test
    void theSecondAttemptReadsTheNewVersion() {
        other.buysMeanwhile.set(true);

        reservations.reserve("tea", 2);

        assertThat(stocks.findById("tea").orElseThrow().amount()).isEqualTo(7); // 7 = 10 - 1 - 2
        assertThat(retries).of("Reservations.reserve").attempted(2).succeeded();
    }

    @Test
    void withinATransactionOfTheCallerThereIsNoSecondAttempt(
            @Autowired Deliveries deliveries, @Autowired PlatformTransactionManager transactions) {
        TransactionTemplate caller = new TransactionTemplate(transactions);

        assertThatIllegalStateException()
                .isThrownBy(() -> caller.executeWithoutResult(status -> deliveries.deliver("tea")));

        assertThat(retries).of("Deliveries.deliver").attempted(1).failed(StopReason.ROLLBACK_ONLY);
    }

    @Test
    void anEmptyStockIsNotRetried() {
        assertThatIllegalStateException()
                .isThrownBy(() -> reservations.reserve("tea", 11))
                .withMessage("only 10 of tea left");

        assertThat(retries).of("Reservations.reserve").attempted(1);
    }

    /** Buys one piece between the other transaction's reading and its commit. */
    @Aspect
    static class OtherCustomer {

        final AtomicBoolean buysMeanwhile = new AtomicBoolean();

        private final JdbcTemplate jdbc;

        private final TransactionTemplate transaction;

        OtherCustomer(JdbcTemplate jdbc, PlatformTransactionManager transactions) {
            this.jdbc = jdbc;
            this.transaction = new TransactionTemplate(transactions);
            transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }

        @AfterReturning("execution(* org.springframework.data.repository.CrudRepository.findById(..))")
        public void buy() {
            if (buysMeanwhile.compareAndSet(true, false)) {
                transaction.executeWithoutResult(
                        status -> jdbc.update("update stock set amount = amount - 1, version = version + 1"));
            }
        }
    }

    static class Deliveries {

        private final StockRepository stocks;

        Deliveries(StockRepository stocks) {
            this.stocks = stocks;
        }

        @RetryOn(IllegalStateException.class)
        @Transactional
        public void deliver(String item) {
            throw new IllegalStateException(
                    "no van for " + stocks.findById(item).orElseThrow().amount());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableJpaRepositories
    @Import({Reservations.class, Deliveries.class, OtherCustomer.class})
    static class Shop {}
}

// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** An application that is woven at compile time, without an agent. */
@SpringBootTest(properties = {"retryon.mode=aspectj", "retryon.defaults.delay=1ms"})
class CompileTimeWeavingTests {

    @Autowired
    private OrderService orders;

    @Autowired
    private Transactions transactions;

    @Test
    void selfInvokedPrivateAndStaticMethodsAreRetriedEachInItsOwnTransaction() throws IOException {
        assertThat(orders.order("tea")).isEqualTo("tea charged at 3");
        assertThat(orders.getClass()).as("no proxy").isSameAs(OrderService.class);
        assertThat(transactions.begun).hasValue(3);
        assertThat(transactions.rolledBack).as("checked exceptions commit").hasValue(0);
    }

    @Test
    void anObjectThatIsNoBeanIsRetried() throws IOException {
        assertThat(new Parcel().send()).isEqualTo("sent at 3");
    }

    @Test
    void theAgentIsNotNeeded() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(org.aspectj.weaver.loadtime.Agent::getInstrumentation);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableTransactionManagement(mode = AdviceMode.ASPECTJ)
    @Import(OrderService.class)
    static class Application {

        @Bean
        PlatformTransactionManager transactionManager() {
            return new Transactions();
        }
    }

    static class Transactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        final AtomicInteger begun = new AtomicInteger();

        final AtomicInteger rolledBack = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            begun.incrementAndGet();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            rolledBack.incrementAndGet();
        }
    }
}

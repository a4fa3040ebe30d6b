// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** Tests whose contexts have mocks of retried beans, and lack the beans that the policies name. */
class MockedBeansTests {

    private final ApplicationContextRunner runner = Applications.retrying();

    @Nested
    @ExtendWith(OutputCaptureExtension.class)
    @SpringJUnitConfig(Application.class)
    class WithMocksInTheBeansPlace {

        @MockitoBean
        private Pay pay;

        @MockitoBean
        private Client client;

        @MockitoSpyBean
        private Book book;

        @Test
        void aMockNeedsNoPolicy(CapturedOutput output) throws IOException {
            when(pay.charge()).thenThrow(new IOException("down"));

            assertThatThrownBy(pay::charge).hasMessage("down");
            verify(pay, times(1)).charge();
            assertThat(client).isNotNull();
            assertThat(output).doesNotContain("RETRYON-W");
        }

        @Test
        void aSpyIsRetried() throws IOException {
            assertThat(book.write()).isEqualTo(3);
            verify(book, times(3)).write();
        }
    }

    @Nested
    @ExtendWith(OutputCaptureExtension.class)
    @SpringJUnitConfig(Application.class)
    class WithAnObjectInTheBeansPlace {

        @TestBean
        private Book book;

        @MockitoBean
        private Pay pay;

        @MockitoBean
        private Client client;

        static Book book() {
            return new Book();
        }

        @Test
        void itIsNotRetried(CapturedOutput output) {
            assertThatThrownBy(book::write).isInstanceOf(IOException.class);
            assertThat(output).contains("RETRYON-W14", "@TestBean");
        }
    }

    @Nested
    @SpringJUnitConfig(RealPay.class)
    class WithAMockBesideTheRealBean {

        @Autowired
        private Pay real;

        @MockitoBean(name = "mocked")
        private Pay mocked;

        @Test
        void onlyTheRealOneIsRetried() throws IOException {
            when(mocked.charge()).thenThrow(new IOException("down"));

            assertThatThrownBy(mocked::charge).hasMessage("down");
            verify(mocked, times(1)).charge();
            assertThat(real.charge()).isEqualTo("instead");
            assertThat(((Pay) AopProxyUtils.getSingletonTarget(real)).calls).isEqualTo(3);
        }
    }

    @Test
    void aMockOfABeanMethodNeedsNoPolicy() {
        runner.withBean(Pay.class, MockedBeansTests::failing).run(context -> {
            assertThat(context).hasNotFailed();
            Pay pay = context.getBean(Pay.class);
            assertThatThrownBy(pay::charge).hasMessage("down");
            verify(target(pay), times(1)).charge();
        });
    }

    @Test
    void aLazyMockOfABeanMethodNeedsNoPolicy() {
        runner.withBean("pay", Object.class, MockedBeansTests::failing, definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Pay pay = context.getBean("pay", Pay.class);
                    assertThatThrownBy(pay::charge).hasMessage("down");
                });
    }

    @Test
    void aMockOfABeanMethodIsRetriedIfItsPolicyIsComplete() {
        runner.withUserConfiguration(Named.class)
                .withBean(Pay.class, MockedBeansTests::failing)
                .run(context -> {
                    Pay pay = context.getBean(Pay.class);
                    assertThat(pay.charge()).isEqualTo("instead");
                    verify(target(pay), times(3)).charge();
                });
    }

    @Test
    void aSpyOfABeanMethodNeedsItsPolicy() {
        runner.withBean(Pay.class, () -> spy(new Pay()))
                .run(context -> assertThat(Applications.faults(context)).isNotEmpty());
    }

    @Test
    void aStubNeedsItsPolicyBecauseItIsRetried() {
        runner.withBean(StubbedPay.class)
                .run(context -> assertThat(Applications.faults(context)).isNotEmpty());
        runner.withUserConfiguration(Named.class)
                .withBean(StubbedPay.class)
                .run(context -> assertThat(context.getBean(Pay.class).charge()).isEqualTo("instead"));
    }

    @Test
    void theRealBeanBesideAMockNeedsItsPolicy() {
        runner.withBean("mocked", Pay.class, MockedBeansTests::failing)
                .withBean("real", Pay.class)
                .run(context -> assertThat(Applications.faults(context)).isNotEmpty());
    }

    private static Pay failing() {
        try {
            Pay pay = mock(Pay.class);
            when(pay.charge()).thenThrow(new IOException("down"));
            return pay;
        } catch (IOException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static Pay target(Pay pay) {
        assertThat(AopUtils.isAopProxy(pay)).isTrue();
        return (Pay) AopProxyUtils.getSingletonTarget(pay);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RetryAutoConfiguration.class)
    static class Application {

        @Bean
        Book book() {
            return new Book();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RetryAutoConfiguration.class)
    @Import(Named.class)
    static class RealPay {

        @Bean
        Pay real() {
            return new Pay();
        }
    }

    /** The beans that the policy of {@link Pay} names. */
    @Configuration(proxyBeanMethods = false)
    static class Named {

        @Bean
        Cash cash() {
            return new Cash();
        }
    }

    static class Cash {

        String instead(IOException error) {
            return "instead";
        }

        void prepare() {}

        public boolean allows() {
            return true;
        }
    }

    static class Pay {

        int calls;

        @RetryOn(
                value = IOException.class,
                recover = "cash#instead",
                beforeRetry = "cash#prepare",
                onlyIf = "@cash.allows()",
                delay = "0")
        public String charge() throws IOException {
            calls++;
            throw new IOException("down");
        }
    }

    static class StubbedPay extends Pay {

        @Override
        public String charge() throws IOException {
            throw new IOException("stubbed");
        }
    }

    interface Client {

        @RetryOn(value = IOException.class, recover = "cash#instead")
        String send() throws IOException;
    }

    static class Book {

        private int calls;

        @RetryOn(value = IOException.class, delay = "0")
        public int write() throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return calls;
        }
    }
}

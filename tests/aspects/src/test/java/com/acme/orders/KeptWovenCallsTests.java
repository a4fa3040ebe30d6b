// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryConfigurationException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Woven methods with {@code @Durable} alone. */
class KeptWovenCallsTests {

    private static ConfigurableApplicationContext start(Class<?>... sources) {
        return new SpringApplicationBuilder(Application.class).sources(sources).run("--retryon.mode=aspectj");
    }

    private static long kept(ApplicationContext context) {
        return context.getBean(CallStore.class).count(StoredCalls.Filter.ALL);
    }

    @Test
    void callsOfObjectsThatAreNoBeansCannotBeKept() {
        try (ConfigurableApplicationContext context = start(Reports.Kept.class)) {
            assertThatExceptionOfType(RetryConfigurationException.class)
                    .isThrownBy(new Reports.NotABean()::print)
                    .withMessageContaining("is called on an object that is not a bean, but a stored call needs a bean");
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> context.getBean(Reports.Kept.class).print());
            assertThat(kept(context)).isEqualTo(1);
        }
    }

    @Test
    void callsOfPrivateMethodsCannotBeKept() {
        assertThatExceptionOfType(RetryConfigurationException.class)
                .isThrownBy(() -> start(Reports.Hidden.class))
                .withMessageContaining("is private or static, but a stored call runs through its bean");
    }

    @Test
    void callsOfABeanBehindAProxyOfItsInterfaceAreKept() {
        try (ConfigurableApplicationContext context = start(BehindInterface.class)) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> context.getBean(Reports.Printer.class).print());
            assertThat(kept(context)).isEqualTo(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class BehindInterface {

        @Bean
        Reports.Printer printer() {
            ProxyFactory proxy = new ProxyFactory(new Reports.KeptPrinter());
            proxy.setInterfaces(Reports.Printer.class);
            return (Reports.Printer) proxy.getProxy();
        }
    }
}

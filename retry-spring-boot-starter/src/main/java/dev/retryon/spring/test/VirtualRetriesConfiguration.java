/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.test;

import dev.retryon.spring.RetryEngineCustomizer;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** What {@link VirtualRetries} imports; to be named where there is no test class, as with an ApplicationContextRunner. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class VirtualRetriesConfiguration {

    /** Creates the configuration. */
    public VirtualRetriesConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RecordedRetries recordedRetries() {
        return new RecordedRetries();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryEngineCustomizer virtualRetryTime(RecordedRetries retries) {
        VirtualTime time = retries.time();
        return engine -> engine.ticker(time).clock(time).sleeper(time).timer(time);
    }
}

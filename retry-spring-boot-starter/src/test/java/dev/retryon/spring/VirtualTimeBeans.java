/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import dev.retryon.test.RecordedRetries;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Retries without delays, recorded. Tests of the starter and of {@code retry-durable} use this class, because {@code
 * VirtualRetriesConfiguration} is in {@code retry-test}, which depends on these modules.
 */
@Configuration(proxyBeanMethods = false)
public class VirtualTimeBeans {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RecordedRetries recordedRetries() {
        return RecordedRetries.create();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryEngineCustomizer virtualTime(RecordedRetries retries) {
        return engine -> retries.time().applyTo(engine);
    }
}

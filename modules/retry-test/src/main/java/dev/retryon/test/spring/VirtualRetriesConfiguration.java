// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import dev.retryon.RetryEngine;
import dev.retryon.test.RecordedRetries;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * The beans of {@link VirtualRetries}. Use this class if you have no test class to annotate, for example with
 * an {@code ApplicationContextRunner}. This class does not add the auto-configuration.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class VirtualRetriesConfiguration {

    /** Creates the configuration. */
    public VirtualRetriesConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RecordedRetries recordedRetries() {
        return RecordedRetries.create();
    }

    @Bean
    @Lazy(false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static VirtualEngineTime virtualRetryTime(RecordedRetries recordedRetries, ObjectProvider<RetryEngine> engines) {
        return new VirtualEngineTime(recordedRetries.time(), engines);
    }
}

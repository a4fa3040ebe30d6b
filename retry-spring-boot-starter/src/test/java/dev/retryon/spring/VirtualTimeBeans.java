// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.test.RecordedRetries;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Retries without delays, recorded. Tests of the starter and of modules that are built before {@code retry-test} use this class
 * instead of {@code VirtualRetriesConfiguration}.
 */
@Configuration(proxyBeanMethods = false)
public class VirtualTimeBeans {

    @Bean
    static RecordedRetries recordedRetries() {
        return RecordedRetries.create();
    }

    @Bean
    static RetryEngineCustomizer virtualTime(RecordedRetries retries) {
        return engine -> retries.time().applyTo(engine);
    }
}

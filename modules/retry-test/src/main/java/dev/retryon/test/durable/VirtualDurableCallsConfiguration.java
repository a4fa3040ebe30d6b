// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetriesConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The beans of {@link VirtualDurableCalls}. Use this class if you have no test class to annotate, for example with
 * an {@code ApplicationContextRunner}. This class does not add the auto-configuration of RetryOn.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = RetryDurableAutoConfiguration.class)
@Import(VirtualRetriesConfiguration.class)
public final class VirtualDurableCallsConfiguration {

    /** Creates the configuration. */
    public VirtualDurableCallsConfiguration() {}

    @Bean
    InMemoryCallStore retryOnVirtualCallStore(RecordedRetries recordedRetries) {
        return new InMemoryCallStore(recordedRetries.time());
    }

    @Bean
    InMemoryCallEngine retryOnVirtualCallEngine(
            RecordedRetries recordedRetries, InMemoryCallStore retryOnVirtualCallStore) {
        return new InMemoryCallEngine(recordedRetries.time(), retryOnVirtualCallStore);
    }

    @Bean
    VirtualCalls virtualCalls(InMemoryCallEngine retryOnVirtualCallEngine) {
        return new VirtualCalls(retryOnVirtualCallEngine);
    }
}

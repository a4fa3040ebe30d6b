// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.durable.autoconfigure.RetryStoreAutoConfiguration;
import dev.retryon.durable.internal.engine.InMemoryDeadLetterStore;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetriesConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The beans of {@link VirtualDurableCalls}. Use this class if there is no test class to annotate, as with an {@code
 * ApplicationContextRunner}. It does not add the auto-configuration of RetryOn.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = RetryStoreAutoConfiguration.class)
@Import(VirtualRetriesConfiguration.class)
public final class VirtualDurableCallsConfiguration {

    /** Creates the configuration. */
    public VirtualDurableCallsConfiguration() {}

    @Bean
    InMemoryDeadLetterStore retryOnVirtualDeadLetterStore() {
        return new InMemoryDeadLetterStore();
    }

    @Bean
    InMemoryCallEngine retryOnVirtualCallEngine(
            RecordedRetries recordedRetries, InMemoryDeadLetterStore retryOnVirtualDeadLetterStore) {
        return new InMemoryCallEngine(recordedRetries.time(), retryOnVirtualDeadLetterStore);
    }

    @Bean
    StoredCalls storedCalls(InMemoryCallEngine retryOnVirtualCallEngine) {
        return new StoredCalls(retryOnVirtualCallEngine);
    }
}

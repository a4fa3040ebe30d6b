// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.durable.autoconfigure.RetryStoreAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetriesConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;

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

    /** Wins over an engine of the application. */
    @Bean
    @Primary
    InMemoryCallEngine retryOnVirtualCallEngine(RecordedRetries recordedRetries) {
        return new InMemoryCallEngine(recordedRetries.time());
    }

    @Bean
    StoredCalls storedCalls(InMemoryCallEngine retryOnVirtualCallEngine, ObjectProvider<DeadLetterStore> letters) {
        return new StoredCalls(retryOnVirtualCallEngine, letters::getObject);
    }

    @Bean
    @ConditionalOnMissingBean(value = DeadLetterStore.class, search = SearchStrategy.CURRENT)
    InMemoryDeadLetterStore retryOnVirtualDeadLetterStore() {
        return new InMemoryDeadLetterStore();
    }
}

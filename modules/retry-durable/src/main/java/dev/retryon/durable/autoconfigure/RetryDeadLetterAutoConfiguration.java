// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.DeadLetterQueue;
import dev.retryon.FailedCall;
import dev.retryon.durable.ArgumentMapperBuilderCustomizer;
import dev.retryon.durable.internal.call.DurableLifecycle;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.invocation.ObservedContexts;
import dev.retryon.durable.internal.invocation.StoredArguments;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.invocation.Surroundings;
import dev.retryon.durable.internal.letter.DeadLetterCheck;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.durable.internal.letter.LetterRetention;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethods;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of dead letters, if the application has a store for them. Each bean is created only when a
 * method, a failed call or the application needs it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {RetryDurableCoreAutoConfiguration.class, RetryStoreAutoConfiguration.class})
@ConditionalOnBean(name = "retryOnStoredMethods", value = CallStore.class, search = SearchStrategy.CURRENT)
public final class RetryDeadLetterAutoConfiguration {

    static final String LIFECYCLE = "retryOnDurableLifecycle";

    /** Creates the auto-configuration. */
    public RetryDeadLetterAutoConfiguration() {}

    /** Applied before the customizers of the application, which can set another queue. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static RetryEngineCustomizer retryOnDeadLetterCustomizer(ObjectProvider<DeadLetterOffice> office) {
        return engine -> engine.deadLetters(new OfficeQueue(office));
    }

    /** Creates the dead-letter office when the first call fails. */
    private record OfficeQueue(ObjectProvider<DeadLetterOffice> office) implements DeadLetterQueue {

        @Override
        public void add(FailedCall call) throws Exception {
            office.getObject().add(call);
        }
    }

    /** Returns the check of methods that store dead letters, which does nothing if the application has its own queue. */
    @Bean
    static MethodsCheck retryOnDeadLetterCheck(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<DeadLetterOffice.Parts> parts,
            ObjectProvider<StoredArguments> storedArguments) {
        return (methods, faults) -> {
            if (RetriedMethods.engineOf(beanFactory).deadLetters() instanceof OfficeQueue) {
                new DeadLetterCheck(parts::getObject, storedArguments::getIfAvailable).check(methods, faults);
            }
        };
    }

    @Bean
    @Lazy
    DeadLetterOffice.Parts retryOnDeadLetterParts(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<CallStore> stores,
            StoredMethods retryOnStoredMethods,
            StoredArguments retryOnStoredArguments,
            Surroundings retryOnSurroundings,
            ExtensionErrors retryOnExtensionErrors,
            ApplicationEventPublisher events) {
        return new DeadLetterOffice.Parts(
                new LookUp<>(() -> opened(stores.getObject(), beanFactory)),
                retryOnStoredMethods,
                retryOnStoredArguments,
                retryOnSurroundings,
                retryOnExtensionErrors,
                events);
    }

    @Bean
    @Lazy
    DeadLetterOffice retryOnDeadLetterOffice(
            DeadLetterOffice.Parts retryOnDeadLetterParts, RetryDeadLetterProperties retryOnDeadLetterProperties) {
        return new DeadLetterOffice(retryOnDeadLetterParts, retryOnDeadLetterProperties.timeout());
    }

    /**
     * Returns the opened store. If a process uses dead letters in the database, it also runs calls that other
     * processes resend.
     */
    private static CallStore opened(CallStore store, ConfigurableListableBeanFactory beanFactory) {
        if (beanFactory.containsBeanDefinition("retryOnCallStore") && beanFactory.containsLocalBean(LIFECYCLE)) {
            beanFactory.getBean(LIFECYCLE, DurableLifecycle.class).keepLetters();
        }
        return store;
    }

    @Bean
    SmartLifecycle retryOnDeadLetterRetention(
            ObjectProvider<CallStore> stores,
            RetryDeadLetterProperties retryOnDeadLetterProperties,
            ExtensionErrors retryOnExtensionErrors) {
        RetryDeadLetterProperties.Retention retention = retryOnDeadLetterProperties.retention();
        return new LetterRetention(retention.maxAge(), retention.maxCount(), stores::getObject, retryOnExtensionErrors);
    }

    @Bean
    @Lazy
    Surroundings retryOnSurroundings(ObjectProvider<ObservedContexts> traces, ExtensionErrors retryOnExtensionErrors) {
        return new Surroundings(traces.getIfAvailable(), retryOnExtensionErrors);
    }

    /** Adds a call that runs later to the trace of its caller. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    static class ObservationConfiguration {

        /** Is not lazy, because listeners might first need this bean while beans are destroyed, when none can be created. */
        @Bean
        @Order(1)
        ObservedContexts retryOnObservedContexts(ObjectProvider<ObservationRegistry> registry) {
            return new ObservedContexts(() -> registry.getIfUnique(() -> ObservationRegistry.NOOP));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    static class JacksonConfiguration {

        @Bean
        @Lazy
        StoredArguments retryOnStoredArguments(
                ObjectProvider<ArgumentMapperBuilderCustomizer> customizers,
                RetryDeadLetterProperties retryOnDeadLetterProperties) {
            return new StoredArguments(
                    customizers.orderedStream().toList(),
                    retryOnDeadLetterProperties.maxArgumentsSize().toBytes());
        }
    }
}

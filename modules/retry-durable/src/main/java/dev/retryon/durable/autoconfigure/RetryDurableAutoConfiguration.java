// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.DeadLetterQueue;
import dev.retryon.FailedCall;
import dev.retryon.durable.ArgumentMapperBuilderCustomizer;
import dev.retryon.durable.RetryDataSource;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.DbSchedulerEngine;
import dev.retryon.durable.internal.call.DefaultStoredCalls;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.DurableLifecycle;
import dev.retryon.durable.internal.call.DurableSettings;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.invocation.ObservedContexts;
import dev.retryon.durable.internal.invocation.StoredArguments;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.invocation.Surroundings;
import dev.retryon.durable.internal.letter.DeadLetterCheck;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.durable.internal.letter.LetterRetention;
import dev.retryon.durable.internal.shared.SharedSettings;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.durable.internal.store.StoreMode;
import dev.retryon.durable.internal.store.StoreSchema;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethods;
import dev.retryon.spring.module.RetryFaults;
import io.micrometer.observation.ObservationRegistry;
import java.time.Clock;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of durable calls and dead letters, and of the database that stores them. Each bean is created only
 * when a method, a failed call or the application needs it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = RetryDurableCoreAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
        })
@ConditionalOnBean(name = "retryOnStoredMethods", search = SearchStrategy.CURRENT)
public final class RetryDurableAutoConfiguration {

    /** The store in a database. Applications and tests can replace it. */
    static final String CALL_STORE = "retryOnCallStore";

    static final String LIFECYCLE = "retryOnDurableLifecycle";

    /** Creates the auto-configuration. */
    public RetryDurableAutoConfiguration() {}

    /** The database that stores calls, and the engine that uses it. */
    @Configuration(proxyBeanMethods = false)
    @Order(1)
    @ConditionalOnClass({
        JdbcClient.class,
        DataSourceScriptDatabaseInitializer.class,
        DatabaseInitializationDependencyConfigurer.class
    })
    @Import(DatabaseInitializationDependencyConfigurer.class)
    static class StoreConfiguration {

        /** Created after Flyway, Liquibase and similar tools, which can create the tables. */
        @Bean
        @Lazy
        @DependsOnDatabaseInitialization
        @ConditionalOnMissingBean(value = StoreChoice.class, search = SearchStrategy.CURRENT)
        StoreChoice retryOnStoreChoice(
                RetryDurableProperties retryOnDurableProperties,
                RetryDeadLetterProperties retryOnDeadLetterProperties,
                RetryJdbcProperties retryOnJdbcProperties,
                @RetryDataSource ObjectProvider<DataSource> markedDataSources,
                ObjectProvider<DataSource> dataSources,
                @RetryDataSource ObjectProvider<PlatformTransactionManager> markedTransactionManagers,
                ObjectProvider<PlatformTransactionManager> transactionManagers,
                ResourceLoader resources,
                ExtensionErrors retryOnExtensionErrors,
                RetryFaults retryOnFaults,
                ConfigurableEnvironment environment) {
            return new StoreChoice(
                    new StoreChoice.Candidates<>(markedDataSources, dataSources),
                    new StoreChoice.Candidates<>(markedTransactionManagers, transactionManagers),
                    new StoreSchema(
                            retryOnJdbcProperties.toSettings(retryOnDurableProperties.application(environment)),
                            resources),
                    new StoreChoice.Options(
                            retryOnDurableProperties.store(),
                            retryOnJdbcProperties.ownConnections(),
                            retryOnDeadLetterProperties.timeout(),
                            // Spring's test support adds this property source, also for slice tests.
                            environment.getPropertySources().contains("Inlined Test Properties")),
                    retryOnExtensionErrors,
                    retryOnFaults);
        }

        @Bean(CALL_STORE)
        @Lazy
        @ConditionalOnMissingBean(value = CallStore.class, search = SearchStrategy.CURRENT)
        CallStore retryOnCallStore(StoreChoice retryOnStoreChoice) {
            return retryOnStoreChoice.get().calls();
        }

        /** Has no effect unless a method stores calls in the database or the application enables shared settings. */
        @Bean
        SharedSettings retryOnSharedSettings(
                ConfigurableListableBeanFactory beanFactory,
                RetryDurableProperties retryOnDurableProperties,
                RetryJdbcProperties retryOnJdbcProperties,
                ObjectProvider<StoreChoice> stores,
                ObjectProvider<ChangesForAllNodes.Node> settings,
                ExtensionErrors retryOnExtensionErrors) {
            RetryJdbcProperties.SharedSettings shared = retryOnJdbcProperties.sharedSettings();
            return new SharedSettings(
                    new SharedSettings.Options(
                            shared.enabled(),
                            !beanFactory.containsBeanDefinition(CALL_STORE),
                            retryOnDurableProperties.store() == StoreMode.EMBEDDED,
                            shared.pollInterval()),
                    () -> stores.getObject().get(),
                    settings::getObject,
                    retryOnExtensionErrors,
                    Clock.systemUTC());
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(Scheduler.class)
        static class EngineConfiguration {

            @Bean
            @Lazy
            @ConditionalOnMissingBean(value = CallEngine.class, search = SearchStrategy.CURRENT)
            CallEngine retryOnCallEngine(
                    StoreChoice retryOnStoreChoice,
                    DurableSettings retryOnDurableSettings,
                    ExtensionErrors retryOnExtensionErrors) {
                return new DbSchedulerEngine(retryOnStoreChoice, retryOnDurableSettings, retryOnExtensionErrors);
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnProperty(name = "retryon.durable.store", havingValue = "embedded")
        @ConditionalOnClass(value = HikariDataSource.class, name = "org.sqlite.JDBC")
        static class EmbeddedConfiguration {

            /** Is neither a candidate for the application's injection points, nor replaces Spring Boot's {@code DataSource}. */
            @Bean(defaultCandidate = false)
            @Lazy
            @RetryDataSource
            HikariDataSource retryOnDataSource(RetryDurableProperties retryOnDurableProperties) {
                return EmbeddedStore.open(retryOnDurableProperties.path());
            }
        }
    }

    /** Dead letters, if the application has a store for them. */
    @Configuration(proxyBeanMethods = false)
    @Order(2)
    @ConditionalOnBean(value = CallStore.class, search = SearchStrategy.CURRENT)
    static class DeadLetterConfiguration {

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
            if (beanFactory.containsBeanDefinition(CALL_STORE) && beanFactory.containsLocalBean(LIFECYCLE)) {
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
            return new LetterRetention(
                    retention.maxAge(), retention.maxCount(), stores::getObject, retryOnExtensionErrors);
        }

        @Bean
        @Lazy
        Surroundings retryOnSurroundings(
                ObjectProvider<ObservedContexts> traces, ExtensionErrors retryOnExtensionErrors) {
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

    /** Durable calls, which survive the end of the process. */
    @Configuration(proxyBeanMethods = false)
    @Order(3)
    @ConditionalOnClass(JsonMapper.class)
    @ConditionalOnBean(name = "retryOnSurroundings", value = CallEngine.class, search = SearchStrategy.CURRENT)
    static class CallsConfiguration {

        @Bean
        @Lazy
        DurableCalls retryOnDurableCalls(
                ConfigurableListableBeanFactory beanFactory,
                ObjectProvider<CallEngine> engine,
                DeadLetterOffice.Parts retryOnDeadLetterParts,
                DurableSettings retryOnDurableSettings,
                ObjectProvider<DurableLifecycle> lifecycle) {
            return new DurableCalls(
                    engine::getObject,
                    retryOnDeadLetterParts,
                    retryOnDurableSettings,
                    () -> lifecycle.getObject().need(),
                    () -> RetriedMethods.engineOf(beanFactory).isClosed());
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean(value = StoredCalls.class, search = SearchStrategy.CURRENT)
        StoredCalls retryOnStoredCalls(ObjectProvider<DurableCalls> calls) {
            return new DefaultStoredCalls(calls::getObject);
        }

        @Bean(LIFECYCLE)
        DurableLifecycle retryOnDurableLifecycle(
                ObjectProvider<DurableCalls> calls, ConfigurableListableBeanFactory beanFactory) {
            return new DurableLifecycle(calls::getObject, () -> RetriedMethods.engineOf(beanFactory));
        }
    }
}

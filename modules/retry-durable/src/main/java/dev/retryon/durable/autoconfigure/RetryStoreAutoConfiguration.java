// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.RetryDataSource;
import dev.retryon.durable.internal.call.DbSchedulerEngine;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.shared.SharedSettings;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.durable.internal.store.StoreMode;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetryFaults;
import java.time.Clock;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Auto-configuration of the database that stores calls, and of the engine that uses it. The database is not opened
 * before a method needs it.
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
@ConditionalOnClass({
    JdbcClient.class,
    DataSourceScriptDatabaseInitializer.class,
    DatabaseInitializationDependencyConfigurer.class
})
@ConditionalOnBean(name = "retryOnStoredMethods", search = SearchStrategy.CURRENT)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class RetryStoreAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryStoreAutoConfiguration() {}

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
                retryOnDurableProperties.store(),
                new StoreChoice.Candidates<>(markedDataSources, dataSources),
                new StoreChoice.Candidates<>(markedTransactionManagers, transactionManagers),
                retryOnJdbcProperties.toSettings(retryOnDurableProperties.application(environment)),
                resources,
                new StoreChoice.Options(
                        retryOnJdbcProperties.ownConnections(),
                        retryOnDeadLetterProperties.timeout(),
                        // Spring's test support adds this property source to the environment of each test, even of a
                        // slice test.
                        environment.getPropertySources().contains("Inlined Test Properties")),
                retryOnExtensionErrors,
                retryOnFaults);
    }

    @Bean
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
                        !beanFactory.containsBeanDefinition("retryOnCallStore"),
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

        /** Spring Boot's default shutdown timeout. */
        private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);

        @Bean
        @Lazy
        @ConditionalOnMissingBean(value = CallEngine.class, search = SearchStrategy.CURRENT)
        CallEngine retryOnCallEngine(
                StoreChoice retryOnStoreChoice,
                RetryDurableProperties retryOnDurableProperties,
                ExtensionErrors retryOnExtensionErrors,
                Environment environment) {
            Duration shutdownTimeout = Binder.get(environment)
                    .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                    .orElse(DEFAULT_SHUTDOWN_TIMEOUT);
            return new DbSchedulerEngine(
                    retryOnStoreChoice,
                    retryOnDurableProperties.toEngineSettings(shutdownTimeout),
                    retryOnExtensionErrors);
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

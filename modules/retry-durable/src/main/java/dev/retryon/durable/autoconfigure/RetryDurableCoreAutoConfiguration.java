// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.DurableSettings;
import dev.retryon.durable.internal.call.OpenBreakers;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.observe.StoreReadings;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethods;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.info.GitProperties;
import org.springframework.boot.info.InfoProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration of the properties and checks of durable calls and dead letters. It applies with or without a
 * store.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@ConditionalOnBean(name = "retryOnNamedRetries", search = SearchStrategy.CURRENT)
@EnableConfigurationProperties({RetryDurableProperties.class, RetryDeadLetterProperties.class, RetryJdbcProperties.class
})
public final class RetryDurableCoreAutoConfiguration {

    /** Spring Boot's default shutdown timeout. */
    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);

    /** Creates the auto-configuration. */
    public RetryDurableCoreAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StoredMethods retryOnStoredMethods(
            ConfigurableListableBeanFactory beanFactory,
            RetriedMethods retryOnNamedRetries,
            RetryDeadLetterProperties retryOnDeadLetterProperties) {
        return new StoredMethods(beanFactory, retryOnNamedRetries, retryOnDeadLetterProperties.aliases());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodsCheck retryOnDurableCheck(
            ConfigurableListableBeanFactory beanFactory,
            RetryDeadLetterProperties retryOnDeadLetterProperties,
            RetryJdbcProperties retryOnJdbcProperties) {
        return new DurableStartCheck(beanFactory, retryOnDeadLetterProperties, retryOnJdbcProperties);
    }

    @Bean
    @Lazy
    static DurableSettings retryOnDurableSettings(
            RetryDurableProperties retryOnDurableProperties,
            RetryDeadLetterProperties retryOnDeadLetterProperties,
            ObjectProvider<InfoProperties> build,
            Environment environment) {
        // Builds of one version may differ.
        String version = Stream.concat(
                        Stream.of(environment.getProperty("spring.application.version", "")),
                        build.orderedStream().flatMap(RetryDurableCoreAutoConfiguration::values))
                .collect(Collectors.joining(" "));
        Duration shutdownTimeout = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(DEFAULT_SHUTDOWN_TIMEOUT);
        return retryOnDurableProperties.toSettings(
                retryOnDeadLetterProperties.maxArgumentsSize(),
                shutdownTimeout,
                version,
                shownVersion(environment, build));
    }

    /** Returns the version of the application, with the commit if it is known. */
    private static String shownVersion(Environment environment, ObjectProvider<InfoProperties> build) {
        List<InfoProperties> known = build.orderedStream().toList();
        Stream<String> version = Stream.concat(
                        Stream.of(environment.getProperty("spring.application.version", "")),
                        known.stream().map(properties -> properties.get("version")))
                .filter(StringUtils::hasText)
                .limit(1);
        Stream<String> commit = known.stream()
                .filter(GitProperties.class::isInstance)
                .map(properties -> ((GitProperties) properties).getShortCommitId())
                .filter(StringUtils::hasText);
        return Stream.concat(version, commit).collect(Collectors.joining(" "));
    }

    private static Stream<String> values(InfoProperties properties) {
        return StreamSupport.stream(properties.spliterator(), false)
                .map(InfoProperties.Entry::getValue)
                .sorted();
    }

    @Bean
    @Lazy
    static StoreReadings retryOnStoreReadings(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<CallStore> letters,
            ObjectProvider<DurableCalls> durable,
            ExtensionErrors retryOnExtensionErrors) {
        return new StoreReadings(
                letters::getObject,
                durable::getObject,
                () -> RetriedMethods.engineOf(beanFactory).isClosed(),
                retryOnExtensionErrors);
    }

    /** Lets durable calls wait until a circuit breaker closes. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(CircuitBreakerRegistry.class)
    static class BreakerConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static RetryEngineCustomizer retryOnOpenBreakers(ObjectProvider<CircuitBreakerRegistry> registries) {
            return engine -> engine.hintResolver(new OpenBreakers(registries::stream));
        }
    }
}

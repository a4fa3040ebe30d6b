// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.internal.aop.RetryAdvisor;
import dev.retryon.spring.internal.aop.ValidationBeforeRetries;
import dev.retryon.spring.internal.check.RetryBeanCheck;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.declaration.RetrySelection;
import dev.retryon.spring.internal.policy.ConfiguredRetryRegistry;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.internal.properties.RetryBindHandler;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryMode;
import dev.retryon.spring.internal.style.ReturnStyles;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.HandoverBackend;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.Weaving;
import java.time.Clock;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of {@code @RetryOn}. Each parameter has the name of a bean, because Spring then injects that bean.
 * Otherwise, Spring checks the type of every bean definition, which took about 10 ms at start-up with 500 beans.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = AopAutoConfiguration.class)
@Conditional(OnRetryEnabledCondition.class)
@EnableConfigurationProperties(RetryProperties.class)
@Import({RetryEngineConfiguration.class, RetryAutoProxyRegistrar.class})
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class RetryAutoConfiguration {

    private static final String RESOLVER = "retryOnMethodResolver";

    /** Creates the auto-configuration. */
    public RetryAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryFaults retryOnFaults(Environment environment) {
        return new EarlyProperties(environment).faults();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfigurationPropertiesBindHandlerAdvisor retryOnBindHandlerAdvisor(RetryFaults retryOnFaults) {
        return handler -> new RetryBindHandler(handler, retryOnFaults);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static NamedRetries retryOnNamedRetries(RetryProperties retryOnProperties) {
        RetryProperties.Metrics metrics = retryOnProperties.metrics();
        return new NamedRetries(metrics.enabled(), new TagValues("name", metrics.maxTagValues()));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryBudgets retryOnBudgets(ConfiguredLayers retryOnConfiguredLayers) {
        return new RetryBudgets(retryOnConfiguredLayers.budgets());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfiguredLayers retryOnConfiguredLayers(
            RetryProperties retryOnProperties, Environment environment, RetryFaults retryOnFaults) {
        return retryOnProperties.toLayers(new GroupProperties(environment, retryOnFaults), retryOnFaults);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetrySelection retryOnSelection(
            Environment environment, ConfigurableListableBeanFactory beanFactory, RetryFaults retryOnFaults) {
        return new RetrySelection(
                new EarlyProperties(environment).pointcuts(beanFactory, retryOnFaults), beanFactory, retryOnFaults);
    }

    @Bean(RESOLVER)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryMethodResolver retryOnMethodResolver(
            RetrySelection retryOnSelection,
            ConfigurableListableBeanFactory beanFactory,
            RetryBudgets retryOnBudgets,
            RetryFaults retryOnFaults,
            NamedRetries retryOnNamedRetries,
            ConfiguredLayers retryOnConfiguredLayers,
            ReturnStyles retryOnReturnStyles) {
        return new RetryMethodResolver(
                retryOnSelection,
                retryOnConfiguredLayers,
                beanFactory,
                retryOnBudgets,
                retryOnFaults,
                retryOnNamedRetries,
                retryOnReturnStyles::hasManyValues,
                retryOnReturnStyles::fault);
    }

    /**
     * Binds the properties as soon as all post-processors exist. Converters of the application are then proxied like
     * any other bean, and faults are already known if the creation of another bean stops the application.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanFactoryInitializer<ListableBeanFactory> retryOnInitializer() {
        return beanFactory -> beanFactory.getBean(RESOLVER);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(value = RetryRegistry.class, search = SearchStrategy.CURRENT)
    static RetryRegistry retryOnRegistry(
            RetryMethodResolver retryOnMethodResolver, NamedRetries retryOnNamedRetries, RetryFaults retryOnFaults) {
        return new ConfiguredRetryRegistry(retryOnMethodResolver, retryOnNamedRetries, retryOnFaults);
    }

    @Bean
    @Lazy
    static RuntimeSettings retryOnRuntimeSettings(
            RetryMethodResolver retryOnMethodResolver,
            NamedRetries retryOnNamedRetries,
            ApplicationEventPublisher events) {
        return new RuntimeSettings(retryOnMethodResolver, retryOnNamedRetries, Clock.systemUTC(), events);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(EnvironmentChangeEvent.class)
    static class EnvironmentChangeConfiguration {

        @Bean
        static ChangedProperties retryOnChangedProperties(
                ObjectProvider<RuntimeSettings> settings,
                BeanFactory beanFactory,
                Environment environment,
                RetryFaults retryOnFaults,
                ExtensionErrors retryOnExtensionErrors) {
            return new ChangedProperties(settings, beanFactory, environment, retryOnFaults, retryOnExtensionErrors);
        }
    }

    /**
     * Creates an advisor that looks up the application's beans when a retried method is first called, because Spring creates all
     * advisors with the first ordinary post-processor, before most beans.
     */
    @Bean(defaultCandidate = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryAdvisor retryOnAdvisor(
            RetrySelection retryOnSelection,
            ReturnStyles retryOnReturnStyles,
            Environment environment,
            ObjectProvider<RetryMethodResolver> retryOnMethodResolver,
            ObjectProvider<RetryProperties> retryOnProperties,
            ConfigurableListableBeanFactory beanFactory,
            ApplicationContext context) {
        return new RetryAdvisor(
                retryOnSelection,
                RetryMode.of(environment).isWoven(),
                new EarlyProperties(environment).order(),
                new LookUp<>(() -> resolver(retryOnMethodResolver, context)),
                retryOnReturnStyles,
                (method, later) -> beanFactory.getBean(HandoverBackend.class).storing(method, later),
                () -> retryOnProperties.getObject().log().firstAttempt());
    }

    private static RetryMethodResolver resolver(
            ObjectProvider<RetryMethodResolver> resolver, ApplicationContext context) {
        try {
            return resolver.getObject();
        } catch (BeansException ex) {
            if (context instanceof ConfigurableApplicationContext own && own.isClosed()) {
                throw new IllegalStateException(
                        "a retried method was first called after the application context was closed; stop the callers"
                                + " of its beans before the context closes",
                        ex);
            }
            throw ex;
        }
    }

    /** Ensures that method validation runs once per call. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "jakarta.validation.Validator")
    static class ValidationConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static BeanPostProcessor retryOnValidationBeforeRetries(
                ObjectProvider<RetryMethodResolver> retryOnMethodResolver) {
            return new ValidationBeforeRetries(retryOnMethodResolver);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryBeanCheck retryOnBeanCheck(
            ConfigurableListableBeanFactory beanFactory,
            RetryMethodResolver retryOnMethodResolver,
            RetryProperties retryOnProperties,
            RetryFaults retryOnFaults,
            ObjectProvider<Weaving> weaving,
            ObjectProvider<MethodsCheck> checks) {
        return new RetryBeanCheck(
                beanFactory,
                retryOnMethodResolver,
                retryOnProperties.mode().isWoven() ? weaving.getObject() : null,
                retryOnFaults,
                checks);
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.ContextCapture;
import dev.retryon.ErrorCodeResolver;
import dev.retryon.RetryAfterResolver;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEngineBuilder;
import dev.retryon.RetryListener;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.aop.RetryAdvisor;
import dev.retryon.spring.context.CallContexts;
import dev.retryon.spring.control.RuntimeSettings;
import dev.retryon.spring.durable.CallEngine;
import dev.retryon.spring.method.MethodUpdates;
import dev.retryon.spring.method.MethodsCheck;
import dev.retryon.spring.method.NamedListeners;
import dev.retryon.spring.method.NamedPolicies;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.method.RetriedMethods;
import dev.retryon.spring.method.RetryBudgets;
import dev.retryon.spring.method.RetryMethodResolver;
import dev.retryon.spring.method.StoredMethods;
import dev.retryon.spring.observe.StoreReadings;
import dev.retryon.spring.observe.TelemetryListener;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RuntimeFaults;
import dev.retryon.spring.style.ReturnStyle;
import dev.retryon.spring.style.ReturnStyles;
import io.micrometer.context.ContextSnapshotFactory;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindingPostProcessor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import reactor.core.publisher.Flux;

/**
 * Auto-configuration of {@code @RetryOn}. Parameters are called what the beans are: Spring then takes the bean of that name,
 * where it would else look at the type of every bean definition, which was some 10 ms of a start with 500 beans.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = AopAutoConfiguration.class)
@Conditional(OnRetryEnabledCondition.class)
@EnableConfigurationProperties
@Import(RetryAutoProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class RetryAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryAutoConfiguration() {}

    /** Defined here for its role: advice needs it while other post-processors are being made. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryProperties retryOnProperties() {
        return new RetryProperties();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryFaults retryOnFaults(ConfigurableEnvironment environment) {
        return StartupChecks.faults(environment);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfigurationPropertiesBindHandlerAdvisor retryOnBindHandlerAdvisor(RetryFaults retryOnFaults) {
        return new RetryBindHandlerAdvisor(retryOnFaults);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetriedMethods retryOnMethods(RetryProperties retryOnProperties) {
        return new RetriedMethods(retryOnProperties.getMetrics().isEnabled());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RuntimeFaults retryOnRuntimeFaults() {
        return new RuntimeFaults();
    }

    /** Each context has an engine of its own: a parent's does not know the listeners of a child, and outlives it. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(value = RetryEngine.class, search = SearchStrategy.CURRENT)
    static RetryEngine retryOnEngine(
            ObjectProvider<RetryListener> listeners,
            ObjectProvider<RetryDecider> deciders,
            ObjectProvider<ErrorCodeResolver> resolvers,
            ObjectProvider<RetryAfterResolver> waitResolvers,
            ObjectProvider<ContextCapture> contextCapture,
            ObjectProvider<RetryEngineCustomizer> customizers,
            RuntimeFaults retryOnRuntimeFaults,
            NamedListeners retryOnNamedListeners,
            BeanFactory beanFactory) {
        RetryEngineBuilder engine = RetryEngine.builder()
                .listeners(guarded(listeners, retryOnRuntimeFaults, retryOnNamedListeners))
                .deciders(later(deciders))
                .errorCodeResolvers(later(resolvers))
                .retryAfterResolvers(later(waitResolvers))
                .faultListener(retryOnRuntimeFaults)
                .executor(new RetryExecutor(beanFactory));
        ContextCapture capture = contextCapture.getIfAvailable();
        if (capture != null) {
            engine.contextCapture(capture);
        }
        for (RetryEngineCustomizer customizer : customizers.orderedStream().toList()) {
            customizer.customize(engine);
        }
        return engine.build();
    }

    private static Supplier<List<RetryListener>> guarded(
            ObjectProvider<RetryListener> listeners, RuntimeFaults faults, NamedListeners named) {
        return () -> listeners
                .orderedStream()
                .map(listener -> {
                    RetryListener guarded = TelemetryListener.guarded(listener, faults);
                    return listener instanceof TelemetryListener ? guarded : named.forEveryCall(listener, guarded);
                })
                .toList();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static NamedListeners retryOnNamedListeners(
            ConfigurableListableBeanFactory beanFactory, RuntimeFaults retryOnRuntimeFaults) {
        return new NamedListeners(
                beanFactory,
                retryOnRuntimeFaults,
                listener -> TelemetryListener.guarded(listener, retryOnRuntimeFaults));
    }

    /**
     * Not looked up before the first failure: that would drag them, and all they depend on, into being before they could be
     * proxied.
     */
    private static <T> Supplier<List<T>> later(ObjectProvider<T> beans) {
        return () -> beans.orderedStream().toList();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryBudgets retryOnBudgets(ConfiguredLayers retryOnConfiguredLayers) {
        return new RetryBudgets(retryOnConfiguredLayers.budgets());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfiguredLayers retryOnConfiguredLayers(RetryProperties retryOnProperties, RetryFaults retryOnFaults) {
        return retryOnProperties.toLayers(retryOnFaults);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @Order(0)
    static ReturnStyle retryOnFutureStyle(BeanFactory beanFactory) {
        return ReturnStyles.futures(RetryExecutor.own(beanFactory));
    }

    /** Looks the styles up when it is first asked, so that none of an application's own is made too early. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ReturnStyles retryOnReturnStyles(ObjectProvider<ReturnStyle> styles) {
        return new ReturnStyles(later(styles));
    }

    /** Methods that return publishers, and Kotlin's coroutines, which Spring hands to advice as publishers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Flux.class)
    static class ReactiveConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @Order(1)
        static ReturnStyle retryOnReactiveStyle(RetryProperties retryOnProperties) {
            return ReturnStyles.publishers(retryOnProperties.getReactive().isResubscribeAfterEmission());
        }
    }

    /** Later attempts of asynchronous calls see what their caller had in thread-locals. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ContextSnapshotFactory.class)
    static class ContextPropagationConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @ConditionalOnMissingBean(value = ContextCapture.class, search = SearchStrategy.CURRENT)
        static ContextCapture retryOnPropagatedContext() {
            return CallContexts.threadLocals();
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryShutdown retryOnShutdown(ConfigurableListableBeanFactory beanFactory, ApplicationContext context) {
        return new RetryShutdown(EngineOfContext.in(beanFactory), context);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static NamedPolicies retryOnNamedPolicies(
            ConfigurableListableBeanFactory beanFactory,
            ConfiguredLayers retryOnConfiguredLayers,
            RetryBudgets retryOnBudgets,
            NamedListeners retryOnNamedListeners,
            RetryFaults retryOnFaults) {
        return new NamedPolicies(
                retryOnConfiguredLayers,
                beanFactory,
                EngineOfContext.in(beanFactory),
                retryOnBudgets,
                retryOnNamedListeners,
                retryOnFaults);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryMethodResolver retryOnMethodResolver(
            ConfigurableListableBeanFactory beanFactory,
            NamedPolicies retryOnNamedPolicies,
            RetryFaults retryOnFaults,
            RetriedMethods retryOnMethods,
            ConfiguredLayers retryOnConfiguredLayers,
            ReturnStyles retryOnReturnStyles) {
        return new RetryMethodResolver(
                retryOnConfiguredLayers,
                beanFactory,
                retryOnNamedPolicies,
                retryOnFaults,
                retryOnMethods,
                retryOnReturnStyles,
                new DurableHandover(beanFactory));
    }

    @Bean
    @ConditionalOnMissingBean(value = RetryRegistry.class, search = SearchStrategy.CURRENT)
    static RetryRegistry retryOnRegistry(
            NamedPolicies retryOnNamedPolicies,
            RetriedMethods retryOnMethods,
            RetryMethodResolver retryOnMethodResolver) {
        return retryOnNamedPolicies.registry(retryOnMethodResolver::configured, retryOnMethods);
    }

    /** Made when settings may be changed. */
    @Bean
    @Lazy
    static RuntimeSettings retryOnRuntimeSettings(
            RetryMethodResolver retryOnMethodResolver,
            RetriedMethods retryOnMethods,
            RetryBudgets retryOnBudgets,
            ApplicationEventPublisher events) {
        MethodUpdates updates = new MethodUpdates(retryOnMethodResolver, retryOnMethods, retryOnBudgets);
        return new RuntimeSettings(updates, retryOnMethods, Clock.systemUTC(), events);
    }

    /** Properties that change while the application runs. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(EnvironmentChangeEvent.class)
    static class EnvironmentChangeConfiguration {

        @Bean
        static ChangedProperties retryOnChangedProperties(
                ObjectProvider<RuntimeSettings> settings,
                ObjectProvider<ConfigurationPropertiesBindingPostProcessor> binding,
                RetryFaults retryOnFaults,
                RuntimeFaults retryOnRuntimeFaults) {
            return new ChangedProperties(settings, binding, retryOnFaults, retryOnRuntimeFaults);
        }
    }

    @Bean(defaultCandidate = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryAdvisor retryOnAdvisor(
            RetryMethodResolver retryOnMethodResolver,
            ReturnStyles retryOnReturnStyles,
            RetryProperties retryOnProperties,
            BeanFactory beanFactory) {
        return new RetryAdvisor(
                retryOnMethodResolver,
                retryOnReturnStyles,
                method -> DurableMethods.outbox(method, beanFactory),
                retryOnProperties.getLog().isFirstAttempt(),
                retryOnProperties.getOrder());
    }

    /** Method validation runs once a call. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "jakarta.validation.Validator")
    static class ValidationConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static BeanPostProcessor retryOnValidationBeforeRetries(ObjectProvider<RetryMethodResolver> resolver) {
            return RetryAdvisor.afterValidation(resolver);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static SmartInitializingSingleton retryOnBeanCheck(
            ConfigurableListableBeanFactory beanFactory,
            RetryMethodResolver retryOnMethodResolver,
            RetryFaults retryOnFaults,
            StoredMethods retryOnStoredMethods,
            ObjectProvider<MethodsCheck> checks) {
        return MethodsCheck.ofAllBeans(beanFactory, retryOnMethodResolver, retryOnFaults, retryOnStoredMethods, checks);
    }

    /** For meters and health. */
    @Bean
    @Lazy
    static StoreReadings retryOnStoreReadings(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<DeadLetterStore> letters,
            ObjectProvider<CallEngine> calls,
            RuntimeFaults retryOnRuntimeFaults) {
        return new StoreReadings(
                letters::getObject,
                calls::getObject,
                () -> EngineOfContext.in(beanFactory).isClosed(),
                retryOnRuntimeFaults);
    }

    /** Always here, so that it reports what is missing. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodsCheck retryOnDurableCheck(ConfigurableListableBeanFactory beanFactory) {
        return (methods, faults) -> {
            if (methods.stream().anyMatch(RetriedMethod::isDurable)) {
                DurableMethods.check(methods, faults, beanFactory);
            }
        };
    }

    /** Always here, so that nothing is set in vain. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodsCheck retryOnStoreSettingsCheck(
            ConfigurableListableBeanFactory beanFactory, RetryProperties retryOnProperties) {
        return (methods, faults) -> retryOnProperties.checkStoreSettings(beanFactory, faults);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StoredMethods retryOnStoredMethods(
            BeanFactory beanFactory,
            RetriedMethods retryOnMethods,
            RetryProperties retryOnProperties,
            ObjectProvider<RetryMethodResolver> retryOnMethodResolver) {
        return new StoredMethods(
                beanFactory,
                retryOnMethods,
                retryOnProperties.getDeadLetter().getAliases(),
                (method, settings) -> retryOnMethodResolver.getObject().override(method, settings));
    }
}

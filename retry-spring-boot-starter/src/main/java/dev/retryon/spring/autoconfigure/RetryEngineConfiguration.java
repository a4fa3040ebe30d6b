// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.ContextCapture;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEngineBuilder;
import dev.retryon.RetryHintResolver;
import dev.retryon.RetryListener;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.policy.CallerTransactions;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.report.AttemptLogContext;
import dev.retryon.spring.internal.settings.StandardHints;
import dev.retryon.spring.internal.style.PropagatedContext;
import dev.retryon.spring.internal.style.ReturnStyles;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.RetriedMethods;
import dev.retryon.spring.module.RetryFaults;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import reactor.core.publisher.Flux;

/** The engine that runs the calls, with listeners, styles of return types, and the bean that ends waits at shutdown. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class RetryEngineConfiguration {

    /** The name of an executor that an application can define only for retries. */
    private static final String OWN_EXECUTOR = "retryOnTaskExecutor";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ExtensionErrors retryOnExtensionErrors(NamedRetries retryOnNamedRetries) {
        return new ExtensionErrors(retryOnNamedRetries.names());
    }

    /** Creates the engine of this context, because a parent's engine outlives its children and does not have their listeners. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(value = RetryEngine.class, search = SearchStrategy.CURRENT)
    static RetryEngine retryOnEngine(
            ObjectProvider<RetryListener> listeners,
            ObjectProvider<RetryDecider> deciders,
            ObjectProvider<RetryHintResolver> resolvers,
            ObjectProvider<ContextCapture> contextCapture,
            ObjectProvider<RetryEngineCustomizer> customizers,
            ExtensionErrors retryOnExtensionErrors,
            BeanFactory beanFactory) {
        RetryEngineBuilder engine = RetryEngine.builder()
                .listeners(later(listeners))
                .deciders(later(deciders))
                .hintResolvers(later(resolvers))
                .extensionErrorListener(retryOnExtensionErrors::report)
                .aroundRetries(AttemptLogContext::of)
                .executor(executor(beanFactory));
        ContextCapture capture = contextCapture.getIfAvailable();
        if (capture != null) {
            engine.contextCapture(capture);
        }
        for (RetryEngineCustomizer customizer : customizers.orderedStream().toList()) {
            customizer.customize(engine);
        }
        // Last, so that the application's resolvers take precedence.
        engine.hintResolver(new StandardHints());
        return engine.build();
    }

    /**
     * Looks up beans at the first failure. An earlier look-up would create these beans, and the beans that they depend
     * on, before they can be proxied.
     */
    private static <T> Supplier<List<T>> later(ObjectProvider<T> beans) {
        return () -> beans.orderedStream().toList();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryShutdown retryOnShutdown(ConfigurableListableBeanFactory beanFactory, ApplicationContext context) {
        return new RetryShutdown(RetriedMethods.engineOf(beanFactory), context);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @Order(0)
    static ReturnStyle retryOnFutureStyle(BeanFactory beanFactory) {
        // Also stores the absence of the bean, because the style looks for the bean on each unfinished future.
        LookUp<Optional<Executor>> own = new LookUp<>(() -> Optional.ofNullable(find(beanFactory, OWN_EXECUTOR)));
        return ReturnStyles.futures(() -> own.get().orElse(null));
    }

    /** Returns the executor for later attempts of asynchronous calls. The executor is looked up when it is first needed. */
    private static Executor executor(BeanFactory beanFactory) {
        LookUp<Executor> executor = new LookUp<>(() -> {
            Executor found = find(beanFactory, OWN_EXECUTOR, "applicationTaskExecutor");
            // The common pool, or a new thread for each task if that pool has only one thread.
            return found != null ? found : new CompletableFuture<>().defaultExecutor();
        });
        return task -> executor.get().execute(task);
    }

    private static @Nullable Executor find(BeanFactory beanFactory, String... names) {
        for (String name : names) {
            if (beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, Executor.class)) {
                return beanFactory.getBean(name, Executor.class);
            }
        }
        return null;
    }

    /** Looks up the styles on first use, so that the application's styles are not created too early. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ReturnStyles retryOnReturnStyles(ObjectProvider<ReturnStyle> styles) {
        return new ReturnStyles(later(styles));
    }

    /** Supports methods that return publishers, and Kotlin's coroutines, which Spring passes to advice as publishers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Flux.class)
    static class ReactiveConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @Order(1)
        static ReturnStyle retryOnReactiveStyle(RetryProperties retryOnProperties) {
            return ReturnStyles.publishers(retryOnProperties.reactive().resubscribeAfterEmission());
        }
    }

    /** Prevents retries of calls within a transaction that cannot be committed. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TransactionAspectSupport.class)
    static class TransactionConfiguration {

        /** Creates a customizer that is applied first, so that the application's customizers are applied later. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @Order(Ordered.HIGHEST_PRECEDENCE)
        static RetryEngineCustomizer retryOnCallerTransactions(RetryFaults retryOnFaults) {
            return engine -> engine.rollbackOnly(new CallerTransactions(retryOnFaults));
        }
    }

    /** Copies the caller's thread-locals to later attempts of asynchronous calls. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ContextSnapshotFactory.class)
    static class ContextPropagationConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @ConditionalOnMissingBean(value = ContextCapture.class, search = SearchStrategy.CURRENT)
        static ContextCapture retryOnPropagatedContext() {
            return new PropagatedContext();
        }
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.DeadLetters;
import dev.retryon.spring.actuate.DeadLettersEndpoint;
import dev.retryon.spring.actuate.DeadLettersEndpointWebExtension;
import dev.retryon.spring.actuate.DurableCallsEndpoint;
import dev.retryon.spring.actuate.DurableCallsEndpointWebExtension;
import dev.retryon.spring.actuate.EndpointRequest;
import dev.retryon.spring.actuate.RetryHistory;
import dev.retryon.spring.actuate.RetryOnEndpoint;
import dev.retryon.spring.actuate.RetryOnEndpointWebExtension;
import dev.retryon.spring.actuate.RetryOnEventsEndpoint;
import dev.retryon.spring.actuate.RetryOnEventsEndpointWebExtension;
import dev.retryon.spring.actuate.SettingsAudit;
import dev.retryon.spring.control.RuntimeSettings;
import dev.retryon.spring.durable.WaitingCalls;
import dev.retryon.spring.method.RetriedMethods;
import dev.retryon.spring.method.RetryBudgets;
import dev.retryon.spring.method.RetryMethodResolver;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.shared.SharedSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the actuator endpoints of retried calls. What they show is collected only if they are exposed.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {
            RetryAutoConfiguration.class,
            RetryDeadLetterAutoConfiguration.class,
            RetryDurableAutoConfiguration.class
        })
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(name = "retryOnMethods", search = SearchStrategy.CURRENT)
public final class RetryEndpointAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryEndpointAutoConfiguration() {}

    @Bean
    static EndpointRequest.Advisor retryOnEndpointRequestAdvisor() {
        return new EndpointRequest.Advisor();
    }

    /** What is retried, and how it went. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetryOnEndpoint.class)
    @EnableConfigurationProperties(RetryOnEndpointProperties.class)
    static class RetriesConfiguration {

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEndpoint.class, search = SearchStrategy.CURRENT)
        RetryOnEndpoint retryOnEndpoint(
                RetriedMethods retryOnMethods,
                RetryProperties retryOnProperties,
                RetryMethodResolver retryOnMethodResolver,
                RetryBudgets retryOnBudgets,
                RetryOnEndpointProperties endpoint) {
            return new RetryOnEndpoint(
                    retryOnMethods,
                    retryOnProperties.getMetrics().isEnabled(),
                    retryOnMethodResolver::configured,
                    retryOnBudgets,
                    endpoint.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = RetryOnEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        RetryOnEndpointWebExtension retryOnEndpointWebExtension(
                RetryOnEndpoint retryOnEndpoint,
                RetryOnEndpointProperties properties,
                RuntimeSettings retryOnRuntimeSettings,
                ObjectProvider<SharedSettings> shared,
                ObjectProvider<RetryHistory> history) {
            return new RetryOnEndpointWebExtension(
                    retryOnEndpoint,
                    properties.getShowValues(),
                    properties.getRoles(),
                    retryOnRuntimeSettings,
                    shared.getIfUnique(),
                    history.getIfUnique());
        }

        @Bean
        SettingsAudit retryOnSettingsAudit(ApplicationEventPublisher events) {
            return new SettingsAudit(events);
        }
    }

    /** What happened lately. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetryOnEventsEndpoint.class)
    @EnableConfigurationProperties(RetryOnEventsEndpointProperties.class)
    static class RetryEventsConfiguration {

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEventsEndpoint.class, search = SearchStrategy.CURRENT)
        RetryOnEventsEndpoint retryOnEventsEndpoint(
                RetryProperties retryOnProperties,
                RetriedMethods retryOnMethods,
                RetryOnEventsEndpointProperties endpoint,
                RetryFaults retryOnFaults) {
            int capacity = retryOnProperties.getEvents().getCapacity();
            try {
                return new RetryOnEventsEndpoint(capacity, retryOnMethods, endpoint.getShowValues());
            } catch (IllegalArgumentException ex) {
                // Reported together with all else that is wrong, which ends the start.
                retryOnFaults.add("retryon.events.capacity", String.valueOf(ex.getMessage()));
                return new RetryOnEventsEndpoint(
                        RetryOnEventsEndpoint.DEFAULT_CAPACITY, retryOnMethods, endpoint.getShowValues());
            }
        }

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEventsEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = RetryOnEventsEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        RetryOnEventsEndpointWebExtension retryOnEventsEndpointWebExtension(
                RetryOnEventsEndpoint retryOnEventsEndpoint, RetryOnEventsEndpointProperties properties) {
            return new RetryOnEventsEndpointWebExtension(
                    retryOnEventsEndpoint, properties.getShowValues(), properties.getRoles());
        }
    }

    /** Calls that have failed for good. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(value = DeadLetters.class, search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(DeadLettersEndpoint.class)
    @EnableConfigurationProperties(DeadLettersEndpointProperties.class)
    static class DeadLettersConfiguration {

        /** Looks for the dead letters when it is asked: an application that keeps none need not have a store. */
        @Bean
        @ConditionalOnMissingBean(value = DeadLettersEndpoint.class, search = SearchStrategy.CURRENT)
        DeadLettersEndpoint retryOnDeadLettersEndpoint(
                ObjectProvider<DeadLetters> letters, DeadLettersEndpointProperties properties) {
            return new DeadLettersEndpoint(letters::getObject, properties.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(value = DeadLettersEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = DeadLettersEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        DeadLettersEndpointWebExtension retryOnDeadLettersEndpointWebExtension(
                DeadLettersEndpoint retryOnDeadLettersEndpoint,
                DeadLettersEndpointProperties properties,
                ObjectProvider<DeadLetters> letters,
                ApplicationEventPublisher events) {
            return new DeadLettersEndpointWebExtension(
                    retryOnDeadLettersEndpoint,
                    properties.getShowValues(),
                    properties.getRoles(),
                    letters::getObject,
                    events);
        }
    }

    /** Durable calls that wait. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(value = WaitingCalls.class, search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(DurableCallsEndpoint.class)
    @EnableConfigurationProperties(DurableCallsEndpointProperties.class)
    static class DurableCallsConfiguration {

        /** Looks for the calls when it is asked: an application without durable methods need not have a store. */
        @Bean
        @ConditionalOnMissingBean(value = DurableCallsEndpoint.class, search = SearchStrategy.CURRENT)
        DurableCallsEndpoint retryOnDurableCallsEndpoint(
                ObjectProvider<WaitingCalls> calls, DurableCallsEndpointProperties properties) {
            return new DurableCallsEndpoint(calls::getObject, properties.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(value = DurableCallsEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = DurableCallsEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        DurableCallsEndpointWebExtension retryOnDurableCallsEndpointWebExtension(
                DurableCallsEndpoint retryOnDurableCallsEndpoint,
                DurableCallsEndpointProperties properties,
                ObjectProvider<WaitingCalls> calls,
                ApplicationEventPublisher events) {
            return new DurableCallsEndpointWebExtension(
                    retryOnDurableCallsEndpoint,
                    properties.getShowValues(),
                    properties.getRoles(),
                    calls::getObject,
                    events);
        }
    }
}

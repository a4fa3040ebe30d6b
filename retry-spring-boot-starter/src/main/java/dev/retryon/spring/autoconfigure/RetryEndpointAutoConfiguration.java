package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.actuate.RetriesEndpoint;
import dev.retryon.spring.actuate.RetryEventLog;
import dev.retryon.spring.actuate.RetryEventsEndpoint;
import dev.retryon.spring.actuate.RetryEventsEndpointWebExtension;
import dev.retryon.spring.actuate.RetryStatistics;
import dev.retryon.spring.aop.RetriedMethods;
import dev.retryon.spring.settings.RetryFaults;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of the actuator endpoints of retried calls. What they show is collected only if they are exposed. */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(name = "retriedMethods")
public final class RetryEndpointAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryEndpointAutoConfiguration() {}

    /** What is retried, and how it went. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetriesEndpoint.class)
    static class RetriesConfiguration {

        @Bean
        @ConditionalOnMissingBean(RetryStatistics.class)
        RetryStatistics retryStatistics() {
            return new RetryStatistics();
        }

        @Bean
        @ConditionalOnMissingBean(RetriesEndpoint.class)
        RetriesEndpoint retriesEndpoint(
                RetriedMethods retriedMethods, RetryStatistics retryStatistics, RetryProperties retryProperties) {
            return new RetriesEndpoint(
                    retriedMethods,
                    retryStatistics,
                    retryProperties.getMetrics().isEnabled());
        }
    }

    /** What happened lately. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetryEventsEndpoint.class)
    @EnableConfigurationProperties(RetryEventsEndpointProperties.class)
    static class RetryEventsConfiguration {

        @Bean
        @ConditionalOnMissingBean(RetryEventLog.class)
        RetryEventLog retryEventLog(
                RetryProperties retryProperties, RetryEventsEndpointProperties endpoint, RetryFaults retryFaults) {
            boolean withMessages = endpoint.getShowValues() != Show.NEVER;
            try {
                return new RetryEventLog(retryProperties.getEvents().getCapacity(), withMessages);
            } catch (IllegalArgumentException ex) {
                // Told together with all else that is wrong, which ends the start.
                retryFaults.add("retry.events.capacity", String.valueOf(ex.getMessage()));
                return new RetryEventLog(RetryEventLog.DEFAULT_CAPACITY, withMessages);
            }
        }

        @Bean
        @ConditionalOnMissingBean(RetryEventsEndpoint.class)
        RetryEventsEndpoint retryEventsEndpoint(RetryEventLog retryEventLog, RetryEventsEndpointProperties endpoint) {
            return new RetryEventsEndpoint(retryEventLog, endpoint.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(RetryEventsEndpointWebExtension.class)
        @ConditionalOnBean(RetryEventsEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        RetryEventsEndpointWebExtension retryEventsEndpointWebExtension(
                RetryEventsEndpoint retryEventsEndpoint, RetryEventsEndpointProperties properties) {
            return new RetryEventsEndpointWebExtension(
                    retryEventsEndpoint, properties.getShowValues(), properties.getRoles());
        }
    }
}

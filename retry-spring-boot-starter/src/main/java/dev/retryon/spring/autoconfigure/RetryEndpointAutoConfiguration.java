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
@ConditionalOnBean(RetriedMethods.class)
public final class RetryEndpointAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryEndpointAutoConfiguration() {}

    /** What is retried, and how it went. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetriesEndpoint.class)
    static class RetriesConfiguration {

        @Bean
        @ConditionalOnMissingBean
        RetryStatistics retryStatistics() {
            return new RetryStatistics();
        }

        @Bean
        @ConditionalOnMissingBean
        RetriesEndpoint retriesEndpoint(
                RetriedMethods methods, RetryStatistics statistics, RetryProperties properties) {
            return new RetriesEndpoint(
                    methods, statistics, properties.getMetrics().isEnabled());
        }
    }

    /** What happened lately. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetryEventsEndpoint.class)
    @EnableConfigurationProperties(RetryEventsEndpointProperties.class)
    static class RetryEventsConfiguration {

        @Bean
        @ConditionalOnMissingBean
        RetryEventLog retryEventLog(
                RetryProperties properties, RetryEventsEndpointProperties endpoint, RetryFaults faults) {
            boolean withMessages = endpoint.getShowValues() != Show.NEVER;
            try {
                return new RetryEventLog(properties.getEvents().getCapacity(), withMessages);
            } catch (IllegalArgumentException ex) {
                // Told together with all else that is wrong, which ends the start.
                faults.add("retry.events.capacity", String.valueOf(ex.getMessage()));
                return new RetryEventLog(RetryEventLog.DEFAULT_CAPACITY, withMessages);
            }
        }

        @Bean
        @ConditionalOnMissingBean
        RetryEventsEndpoint retryEventsEndpoint(RetryEventLog events, RetryEventsEndpointProperties endpoint) {
            return new RetryEventsEndpoint(events, endpoint.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean(RetryEventsEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        RetryEventsEndpointWebExtension retryEventsEndpointWebExtension(
                RetryEventsEndpoint endpoint, RetryEventsEndpointProperties properties) {
            return new RetryEventsEndpointWebExtension(endpoint, properties.getShowValues(), properties.getRoles());
        }
    }
}

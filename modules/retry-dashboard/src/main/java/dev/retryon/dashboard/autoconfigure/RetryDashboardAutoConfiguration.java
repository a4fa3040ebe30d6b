// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard.autoconfigure;

import dev.retryon.dashboard.DashboardHeadersWebFilter;
import dev.retryon.dashboard.RetryOnDashboardEndpoint;
import dev.retryon.dashboard.internal.CounterHistory;
import dev.retryon.dashboard.internal.LinkTemplate;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RecentCounts;
import dev.retryon.spring.module.RecentCounts.StoredCounts;
import dev.retryon.spring.module.RetryFaults;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.server.WebFilter;

/**
 * Auto-configuration of the page for operators. Data of the last 15 minutes is collected only if the page is exposed.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryEndpointAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, RequestContextHolder.class})
@ConditionalOnBean(name = "retryOnNamedRetries", search = SearchStrategy.CURRENT)
public final class RetryDashboardAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDashboardAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetryOnDashboardEndpoint.class)
    @EnableConfigurationProperties(RetryOnDashboardEndpointProperties.class)
    static class PageConfiguration {

        @Bean
        @ConditionalOnMissingBean(value = RetryOnDashboardEndpoint.class, search = SearchStrategy.CURRENT)
        RetryOnDashboardEndpoint retryOnDashboardEndpoint(
                ObjectProvider<WebEndpointsSupplier> endpoints,
                RetryOnDashboardEndpointProperties properties,
                Environment environment,
                RetryFaults retryOnFaults) {
            return new RetryOnDashboardEndpoint(
                    () -> endpoints.getObject().getEndpoints(),
                    checked(LinkTemplate.TRACE, properties.getTraceLink(), retryOnFaults),
                    checked(LinkTemplate.METRICS, properties.getMetricsLink(), retryOnFaults),
                    environment.getProperty("spring.application.name", ""));
        }

        /** Reports an invalid link together with all other faults, which stop the application. */
        private static @Nullable String checked(LinkTemplate link, @Nullable String address, RetryFaults faults) {
            try {
                link.check(address);
                return address;
            } catch (IllegalArgumentException ex) {
                faults.add("management.endpoint.retryondashboard." + link.property(), String.valueOf(ex.getMessage()));
                return null;
            }
        }

        @Bean
        @ConditionalOnBean(value = RecentCounts.Counters.class, search = SearchStrategy.CURRENT)
        CounterHistory retryOnHistory(
                RecentCounts.Counters retryOnEndpoint,
                ObjectProvider<StoredCounts> storedCounts,
                ExtensionErrors retryOnExtensionErrors) {
            return new CounterHistory(
                    retryOnEndpoint,
                    storedCounts.getIfUnique(),
                    InstantSource.system(),
                    System::nanoTime,
                    retryOnExtensionErrors);
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        static class ReactiveConfiguration {

            @Bean
            WebFilter retryOnDashboardHeaders(ObjectProvider<PathMappedEndpoints> paths) {
                EndpointId id = EndpointId.of(RetryOnDashboardEndpoint.ID);
                return new DashboardHeadersWebFilter(() -> paths.getObject().getPath(id));
            }
        }
    }
}

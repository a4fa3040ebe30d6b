// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard.autoconfigure;

import dev.retryon.dashboard.RetryOnDashboardEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.web.filter.RequestContextFilter;

/**
 * Passes the response to the page, which sets headers, if Jersey serves the actuator on a separate port. In other cases,
 * Spring Boot or the dispatcher servlet passes the response.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(
        value = RequestContextFilter.class,
        name = {"jakarta.servlet.Filter", "org.glassfish.jersey.server.ResourceConfig"})
@ConditionalOnMissingClass("org.springframework.web.servlet.DispatcherServlet")
@ConditionalOnAvailableEndpoint(RetryOnDashboardEndpoint.class)
class JerseyManagementPortConfiguration {

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    RequestContextFilter retryOnRequestContextFilter() {
        return new RequestContextFilter();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of the dashboard in {@code application.yml}. */
@ConfigurationProperties("management.endpoint.retryondashboard")
class RetryOnDashboardEndpointProperties {

    /**
     * Address of a page that shows a trace, with the placeholder {traceId}. If not set, the dashboard has no links to
     * traces.
     */
    private @Nullable String traceLink;

    /**
     * Address of a page that shows a method's metrics, with the placeholder {name}. If not set, the dashboard has no links
     * to metrics.
     */
    private @Nullable String metricsLink;

    public @Nullable String getTraceLink() {
        return traceLink;
    }

    public void setTraceLink(@Nullable String traceLink) {
        this.traceLink = traceLink;
    }

    public @Nullable String getMetricsLink() {
        return metricsLink;
    }

    public void setMetricsLink(@Nullable String metricsLink) {
        this.metricsLink = metricsLink;
    }
}

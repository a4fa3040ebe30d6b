/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What {@code application.yml} can say about the operators' page. */
@ConfigurationProperties("management.endpoint.retryondashboard")
class RetryOnDashboardEndpointProperties {

    /** Where a trace is shown, with {traceId} in the place of its id; the page has no links to traces without. */
    private @Nullable String traceLink;

    public @Nullable String getTraceLink() {
        return traceLink;
    }

    public void setTraceLink(@Nullable String traceLink) {
        this.traceLink = traceLink;
    }
}

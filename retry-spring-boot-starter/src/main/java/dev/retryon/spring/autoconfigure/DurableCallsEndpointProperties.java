/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What {@code application.yml} can say about the endpoint of durable calls. */
@ConfigurationProperties("management.endpoint.durablecalls")
class DurableCallsEndpointProperties {

    /** When to show arguments and messages, which may hold secrets. */
    private Show showValues = Show.NEVER;

    /**
     * Roles used to determine whether a user is authorized to be shown arguments and messages. When empty, all
     * authenticated users are authorized.
     */
    private final Set<String> roles = new HashSet<>();

    public Show getShowValues() {
        return showValues;
    }

    public void setShowValues(Show showValues) {
        this.showValues = showValues;
    }

    public Set<String> getRoles() {
        return roles;
    }
}

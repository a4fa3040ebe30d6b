/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of the endpoint of what is retried. */
@ConfigurationProperties("management.endpoint.retryon")
class RetryOnEndpointProperties {

    /** When to show literals of expressions such as only-if, which may be resolved secrets. */
    private Show showValues = Show.NEVER;

    /**
     * Roles used to determine whether a user is authorized to be shown literals of expressions. When empty, all authenticated
     * users are authorized.
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

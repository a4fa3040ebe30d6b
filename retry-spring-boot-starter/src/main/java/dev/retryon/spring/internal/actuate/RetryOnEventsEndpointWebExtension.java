/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over the web, whether messages of errors are shown may depend on who asks. */
@EndpointWebExtension(endpoint = RetryOnEventsEndpoint.class)
public class RetryOnEventsEndpointWebExtension {

    private final RetryOnEventsEndpoint endpoint;

    private final Show showValues;

    private final Set<String> roles;

    public RetryOnEventsEndpointWebExtension(RetryOnEventsEndpoint endpoint, Show showValues, Set<String> roles) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
    }

    /**
     * The latest events.
     *
     * @param securityContext who asks
     * @param name of calls with this name only; {@code null} for all
     * @param limit how many at most, 1 or more, else status 400; {@code null} for all that are kept
     * @return the newest first
     */
    @ReadOperation
    public RetryOnEventsEndpoint.RetryEvents events(
            SecurityContext securityContext, @Nullable String name, @Nullable Integer limit) {
        return endpoint.events(name, limit, showValues.isShown(securityContext, roles));
    }
}

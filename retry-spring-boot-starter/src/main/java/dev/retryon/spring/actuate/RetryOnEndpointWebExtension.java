/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Over the web, whether literals of expressions are shown may depend on who asks, and an unknown name is answered with the
 * names that are known.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = RetryOnEndpoint.class)
public class RetryOnEndpointWebExtension {

    private final RetryOnEndpoint endpoint;

    private final Show showValues;

    private final Set<String> roles;

    /**
     * Creates the extension.
     *
     * @param endpoint the endpoint
     * @param showValues when literals of expressions are shown
     * @param roles who is authorized; if empty, everybody who is authenticated
     */
    public RetryOnEndpointWebExtension(RetryOnEndpoint endpoint, Show showValues, Set<String> roles) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
    }

    /**
     * Everything that is retried.
     *
     * @param securityContext who asks
     * @return by name, sorted
     */
    @ReadOperation
    public RetryOnEndpoint.Retries retries(SecurityContext securityContext) {
        return endpoint.retries(showValues.isShown(securityContext, roles));
    }

    /**
     * What is retried under one name.
     *
     * @param securityContext who asks
     * @param name the name, such as {@code PaymentService.charge}
     * @return its description; with status 404 an {@link UnknownName}
     */
    @ReadOperation
    public WebEndpointResponse<Object> retried(SecurityContext securityContext, @Selector String name) {
        RetryOnEndpoint.Retried retried = endpoint.retried(name, showValues.isShown(securityContext, roles));
        return retried != null
                ? new WebEndpointResponse<>(retried)
                : new WebEndpointResponse<>(
                        UnknownName.of(name, endpoint.names()), WebEndpointResponse.STATUS_NOT_FOUND);
    }
}

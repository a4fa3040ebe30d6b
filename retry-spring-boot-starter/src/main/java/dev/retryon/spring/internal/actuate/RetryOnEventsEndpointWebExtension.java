// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over the web, the user's roles decide whether error messages are shown. */
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

    @ReadOperation
    public RetryOnEventsEndpoint.RetryEvents events(
            SecurityContext securityContext, @Nullable String name, @Nullable Integer limit) {
        return endpoint.events(name, limit, showValues.isShown(securityContext, roles));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.module.ShownValues;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over the web, the user's roles decide whether error messages are shown. */
@EndpointWebExtension(endpoint = RetryOnEventsEndpoint.class)
public class RetryOnEventsEndpointWebExtension {

    private final RetryOnEventsEndpoint endpoint;

    private final ShownValues values;

    public RetryOnEventsEndpointWebExtension(RetryOnEventsEndpoint endpoint, ShownValues values) {
        this.endpoint = endpoint;
        this.values = values;
    }

    @ReadOperation
    public RetryOnEventsEndpoint.RetryEvents events(
            SecurityContext securityContext, @Nullable String name, @Nullable Integer limit) {
        return endpoint.events(name, limit, values.isShownTo(securityContext));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.module.EndpointRequest;
import dev.retryon.spring.module.RecentCounts;
import dev.retryon.spring.module.RecentCounts.RetryHours;
import dev.retryon.spring.module.SettingsChanges;
import dev.retryon.spring.module.ShownValues;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Over the web, the user's roles decide whether literals in expressions are shown. Only over the web can settings be changed
 * while the application runs, if {@code management.endpoint.retryon.access=unrestricted}.
 */
@EndpointWebExtension(endpoint = RetryOnEndpoint.class)
public class RetryOnEndpointWebExtension {

    private final RetryOnEndpoint endpoint;

    private final ShownValues values;

    private final SettingsChanges changes;

    private final @Nullable RecentCounts history;

    public RetryOnEndpointWebExtension(
            RetryOnEndpoint endpoint, ShownValues values, SettingsChanges changes, @Nullable RecentCounts history) {
        this.endpoint = endpoint;
        this.values = values;
        this.changes = changes;
        this.history = history;
    }

    /** Returns {@link RetryOnEndpoint.Retries}, a {@link RetrySummary} without settings, which is cheap, or {@link RetryHours}. */
    @ReadOperation
    public OperationResponseBody retries(
            SecurityContext securityContext, @Nullable Boolean summary, @Nullable Boolean hours) {
        if (Boolean.TRUE.equals(hours)) {
            return history == null ? RetryHours.none() : history.hours();
        }
        return Boolean.TRUE.equals(summary)
                ? RetrySummary.of(endpoint, history, changes)
                : endpoint.retries(values.isShownTo(securityContext), changes);
    }

    @ReadOperation
    public WebEndpointResponse<Object> retried(SecurityContext securityContext, @Selector String name) {
        RetriedDescription retried = endpoint.retried(name, values.isShownTo(securityContext));
        return retried != null
                ? new WebEndpointResponse<>(retried)
                : new WebEndpointResponse<>(
                        UnknownName.of(name, endpoint.statistics().names()), WebEndpointResponse.STATUS_NOT_FOUND);
    }

    /**
     * Changes settings of all retries.
     *
     * @param request flat JSON: settings by attribute, {@code null} to revert one; {@code for}, a duration after which
     *     the change ends; and {@code scope}, {@code node} for this process or {@code all} for all that share its database
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeAll(SecurityContext securityContext, EndpointRequest request) {
        return changes.change(null, "", request, EndpointRequest.caller(securityContext));
    }

    @WriteOperation
    public WebEndpointResponse<Object> change(
            SecurityContext securityContext, @Selector String name, EndpointRequest request) {
        return changes.change(null, name, request, EndpointRequest.caller(securityContext));
    }

    @WriteOperation
    public WebEndpointResponse<Object> changeScope(
            SecurityContext securityContext, @Selector String kind, @Selector String name, EndpointRequest request) {
        return changes.change(kind, name, request, EndpointRequest.caller(securityContext));
    }

    @DeleteOperation
    public WebEndpointResponse<Object> takeBackAll(SecurityContext securityContext, EndpointRequest request) {
        return changes.takeBack(null, "", request, EndpointRequest.caller(securityContext));
    }

    @DeleteOperation
    public WebEndpointResponse<Object> takeBack(
            SecurityContext securityContext, @Selector String name, EndpointRequest request) {
        return changes.takeBack(null, name, request, EndpointRequest.caller(securityContext));
    }

    @DeleteOperation
    public WebEndpointResponse<Object> takeBackScope(
            SecurityContext securityContext, @Selector String kind, @Selector String name, EndpointRequest request) {
        return changes.takeBack(kind, name, request, EndpointRequest.caller(securityContext));
    }
}

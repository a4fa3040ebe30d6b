/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.internal.control.ChangesForAllNodes;
import dev.retryon.spring.internal.control.RuntimeSettings;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Over the web, whether literals of expressions are shown may depend on who asks, and an unknown name is answered
 * with the names that are known. Over the web alone, settings are changed while the application runs, if the operator
 * allows write access: {@code management.endpoint.retryon.access=unrestricted}.
 */
@EndpointWebExtension(endpoint = RetryOnEndpoint.class)
public class RetryOnEndpointWebExtension {

    private final RetryOnEndpoint endpoint;

    private final Show showValues;

    private final Set<String> roles;

    private final SettingsChanges changes;

    private final @Nullable RecentCounts history;

    public RetryOnEndpointWebExtension(
            RetryOnEndpoint endpoint,
            Show showValues,
            Set<String> roles,
            RuntimeSettings settings,
            @Nullable ChangesForAllNodes shared,
            @Nullable RecentCounts history) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
        this.changes = new SettingsChanges(settings, shared);
        this.history = history;
    }

    /**
     * Everything that is retried.
     *
     * @param securityContext who asks
     * @param summary {@code true} for a {@link RetrySummary}, which has no settings and is cheap; else {@link
     *     RetryOnEndpoint.Retries}
     * @return by name, sorted
     */
    @ReadOperation
    public OperationResponseBody retries(SecurityContext securityContext, @Nullable Boolean summary) {
        return Boolean.TRUE.equals(summary)
                ? RetrySummary.of(endpoint, history, changes)
                : endpoint.retries(showValues.isShown(securityContext, roles), changes);
    }

    /**
     * Returns the retries under one name.
     *
     * @param securityContext who asks
     * @param name the name, such as {@code PaymentService.charge}
     * @return its description; with status 404 an {@link UnknownName}
     */
    @ReadOperation
    public WebEndpointResponse<Object> retried(SecurityContext securityContext, @Selector String name) {
        RetriedDescription retried = endpoint.retried(name, showValues.isShown(securityContext, roles));
        return retried != null
                ? new WebEndpointResponse<>(retried)
                : new WebEndpointResponse<>(
                        UnknownName.of(name, endpoint.names()), WebEndpointResponse.STATUS_NOT_FOUND);
    }

    /**
     * Changes settings of every retried method.
     *
     * @param securityContext who asks
     * @param request flat JSON: settings by attribute, {@code null} to take one back; {@code for}, a duration after
     *     which the change ends by itself; and {@code scope}, {@code node} for this process or {@code all} for all
     *     that share its database
     * @return what was changed; with status 400 what is wrong with the request, and nothing has changed
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeAll(SecurityContext securityContext, EndpointRequest request) {
        return changes.change(null, "", request, ChangeAudit.caller(securityContext));
    }

    /**
     * Changes settings of the methods of a name.
     *
     * @param securityContext who asks
     * @param name the name, such as {@code PaymentService.charge}
     * @param request flat JSON, as {@link #changeAll} describes
     * @return what was changed; with status 400 what is wrong with the request
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            SecurityContext securityContext, @Selector String name, EndpointRequest request) {
        return changes.change(null, name, request, ChangeAudit.caller(securityContext));
    }

    /**
     * Changes settings of the methods that have a policy, a budget or a lane.
     *
     * @param securityContext who asks
     * @param kind {@code policies}, {@code budgets} or {@code lanes}
     * @param name the name of the policy, the budget or the lane
     * @param request flat JSON, as {@link #changeAll} describes
     * @return what was changed; with status 400 what is wrong with the request
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeScope(
            SecurityContext securityContext, @Selector String kind, @Selector String name, EndpointRequest request) {
        return changes.change(kind, name, request, ChangeAudit.caller(securityContext));
    }

    /**
     * Reverts the changes for all retried methods.
     *
     * @param securityContext who asks
     * @param request {@code scope}, as {@link #changeAll} describes
     * @return status 204, or 404 if nothing was changed
     */
    @DeleteOperation
    public WebEndpointResponse<Object> takeBackAll(SecurityContext securityContext, EndpointRequest request) {
        return changes.takeBack(null, "", request, ChangeAudit.caller(securityContext));
    }

    /**
     * Reverts the changes for a name.
     *
     * @param securityContext who asks
     * @param name the name
     * @param request {@code scope}, as {@link #changeAll} describes
     * @return status 204, or 404 if nothing was changed
     */
    @DeleteOperation
    public WebEndpointResponse<Object> takeBack(
            SecurityContext securityContext, @Selector String name, EndpointRequest request) {
        return changes.takeBack(null, name, request, ChangeAudit.caller(securityContext));
    }

    /**
     * Reverts the changes for a policy, a budget or a lane.
     *
     * @param securityContext who asks
     * @param kind {@code policies}, {@code budgets} or {@code lanes}
     * @param name the name of the policy, the budget or the lane
     * @param request {@code scope}, as {@link #changeAll} describes
     * @return status 204, or 404 if nothing was changed
     */
    @DeleteOperation
    public WebEndpointResponse<Object> takeBackScope(
            SecurityContext securityContext, @Selector String kind, @Selector String name, EndpointRequest request) {
        return changes.takeBack(kind, name, request, ChangeAudit.caller(securityContext));
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.spring.settings.RetryConfigurationException;
import dev.retryon.spring.settings.StarterLog;
import java.util.function.Supplier;
import org.springframework.beans.BeansException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.NestedRuntimeException;

/**
 * Why nothing was done.
 *
 * @param problem what is wrong and what is allowed
 */
record Refused(String problem) implements OperationResponseBody {

    static WebEndpointResponse<Object> because(int status, String problem) {
        return new WebEndpointResponse<>(new Refused(problem), status);
    }

    static WebEndpointResponse<Object> because(IllegalArgumentException wrong) {
        return because(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(wrong.getMessage()));
    }

    /** Answers a request about what is stored, also if it is wrong, if there is no store, and if the store does not answer. */
    static WebEndpointResponse<Object> orAnswer(String stored, Supplier<WebEndpointResponse<Object>> operation) {
        try {
            return operation.get();
        } catch (IllegalArgumentException ex) {
            return because(ex);
        } catch (NestedRuntimeException | RetryConfigurationException ex) {
            // Whoever asks first opens the store, perhaps while its beans are made.
            Throwable reason = ex;
            while (reason instanceof BeansException && reason.getCause() != null) {
                reason = reason.getCause();
            }
            if (reason instanceof RetryConfigurationException) {
                return because(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(reason.getMessage()));
            }
            // Errors of databases and transactions; an application with a store of its own may not have their classes.
            if (reason instanceof NestedRuntimeException && !(reason instanceof BeansException)) {
                return noAnswer(stored, reason);
            }
            throw ex;
        }
    }

    /** Messages of errors show statements, so they are logged and not shown. */
    private static WebEndpointResponse<Object> noAnswer(String stored, Throwable reason) {
        String problem = "the store of " + stored + " does not answer as it should";
        StarterLog.warn(problem, reason);
        return because(
                WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                problem + " (" + reason.getClass().getSimpleName() + "); see the log of the application");
    }
}

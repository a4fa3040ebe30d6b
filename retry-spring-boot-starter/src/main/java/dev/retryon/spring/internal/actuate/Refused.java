// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.internal.report.StarterLog;
import java.util.function.Supplier;
import org.springframework.beans.BeansException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.NestedRuntimeException;

/** The reason why a request was refused, and the allowed values. */
public record Refused(String problem) implements OperationResponseBody {

    public static WebEndpointResponse<Object> because(int status, String problem) {
        return new WebEndpointResponse<>(new Refused(problem), status);
    }

    /** Refuses a request with status 400. */
    public static WebEndpointResponse<Object> because(IllegalArgumentException wrong) {
        return because(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(wrong.getMessage()));
    }

    /**
     * Answers a request: with status 400 if it is wrong, and 503 if there is no store or it does not respond.
     *
     * @param stored the name of the data, such as {@code dead letters}
     */
    public static WebEndpointResponse<Object> orAnswer(String stored, Supplier<WebEndpointResponse<Object>> operation) {
        try {
            return operation.get();
        } catch (IllegalArgumentException ex) {
            return because(ex);
        } catch (NestedRuntimeException | RetryConfigurationException ex) {
            // The first request opens the store, perhaps while its beans are created.
            Throwable reason = ex;
            while (reason instanceof BeansException && reason.getCause() != null) {
                reason = reason.getCause();
            }
            if (reason instanceof RetryConfigurationException) {
                return because(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(reason.getMessage()));
            }
            // Errors of databases and transactions; an application with a custom store may not have their classes.
            if (reason instanceof NestedRuntimeException && !(reason instanceof BeansException)) {
                return noAnswer(stored, reason);
            }
            throw ex;
        }
    }

    /** Messages of errors show statements, so they are logged and not shown. */
    private static WebEndpointResponse<Object> noAnswer(String stored, Throwable reason) {
        String problem = "the store of " + stored + " did not respond as expected";
        StarterLog.warn(problem, reason);
        return because(
                WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                problem + " (" + reason.getClass().getSimpleName() + "); see the log of the application for the cause");
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.backoff.DurationText;
import java.security.Principal;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The content of a request without its path: flat JSON and query parameters.
 *
 * @param values the texts by key; {@code null} if the JSON contains {@code null}, and a collection if a key is given
 *     more than once
 */
public record EndpointRequest(Map<String, @Nullable Object> values) {

    /** Returns the values as texts. Throws IllegalArgumentException if a key is given more than once. */
    public Map<String, @Nullable String> texts() {
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (value instanceof Collection<?> several) {
                throw new IllegalArgumentException("'" + key + "' is given " + several.size() + " times; set it once");
            }
            texts.put(key, value == null ? null : value.toString());
        });
        return texts;
    }

    /**
     * Reads a duration, which can be negative. The unit is required, because an operator who types 30 means minutes or
     * seconds, but a property without a unit is in milliseconds.
     */
    public static Duration duration(String key, String text) {
        Exception cause = null;
        if (!text.trim().matches(".*\\d")) {
            try {
                return DurationText.parse(text);
            } catch (IllegalArgumentException ex) {
                cause = ex;
            }
        }
        throw new IllegalArgumentException(
                key + " is '" + text + "', but must be a duration with a unit, such as 30m, 2h or PT30M", cause);
    }

    /** Returns the name of the user who sent the request; {@code null} if the user is unknown. */
    public static @Nullable String caller(SecurityContext securityContext) {
        Principal principal = securityContext.getPrincipal();
        return principal == null ? null : principal.getName();
    }

    /**
     * Passes the whole request to operations that have a parameter for it. Spring Boot passes only keys that match a
     * parameter of the operation, and does not distinguish a missing key from {@code null}.
     */
    public static final class Advisor implements OperationInvokerAdvisor {

        @Override
        public OperationInvoker apply(
                EndpointId endpointId,
                OperationType operationType,
                OperationParameters parameters,
                OperationInvoker invoker) {
            for (OperationParameter parameter : parameters) {
                if (parameter.getType() == EndpointRequest.class) {
                    Set<String> path = selectors(parameters);
                    return context -> invoker.invoke(withRequest(context, parameter.getName(), path));
                }
            }
            return invoker;
        }

        private static Set<String> selectors(OperationParameters parameters) {
            return StreamSupport.stream(parameters.spliterator(), false)
                    .filter(parameter -> parameter.getAnnotation(Selector.class) != null)
                    .map(OperationParameter::getName)
                    .collect(Collectors.toUnmodifiableSet());
        }

        private static InvocationContext withRequest(InvocationContext context, String parameter, Set<String> path) {
            Map<String, Object> arguments = new LinkedHashMap<>(context.getArguments());
            Map<String, @Nullable Object> values = new LinkedHashMap<>(context.getArguments());
            values.keySet().removeAll(path);
            arguments.put(parameter, new EndpointRequest(values));
            SecurityContext caller = context.resolveArgument(SecurityContext.class);
            return new InvocationContext(caller == null ? SecurityContext.NONE : caller, arguments);
        }
    }

    /** The response to a rejected request, with the reason and the allowed values. */
    public record Refused(String problem) implements OperationResponseBody {

        public static WebEndpointResponse<Object> because(int status, String problem) {
            return new WebEndpointResponse<>(new Refused(problem), status);
        }

        /** Rejects a request with status 400. */
        public static WebEndpointResponse<Object> because(IllegalArgumentException wrong) {
            return because(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(wrong.getMessage()));
        }
    }
}

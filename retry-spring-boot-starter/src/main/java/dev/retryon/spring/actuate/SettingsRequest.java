/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * What is posted to {@code /actuator/retryon}: flat JSON of any settings.
 *
 * @param values texts by attribute; {@code null} for what is taken back
 * @since 0.1.0
 */
public record SettingsRequest(Map<String, @Nullable String> values) {

    /**
     * Hands the whole request to operations that ask for it. An operation has a parameter for each key that it knows, of which
     * it can't tell whether the key is missing or {@code null}, and it does not hear of other keys.
     */
    public static final class Advisor implements OperationInvokerAdvisor {

        /** Creates the advisor. */
        public Advisor() {}

        @Override
        public OperationInvoker apply(
                EndpointId endpointId,
                OperationType operationType,
                OperationParameters parameters,
                OperationInvoker invoker) {
            for (OperationParameter parameter : parameters) {
                if (parameter.getType() == SettingsRequest.class) {
                    return context -> invoker.invoke(withRequest(context, parameter.getName()));
                }
            }
            return invoker;
        }

        private static InvocationContext withRequest(InvocationContext context, String parameter) {
            Map<String, Object> arguments = new LinkedHashMap<>(context.getArguments());
            Map<String, @Nullable String> values = new LinkedHashMap<>();
            context.getArguments().forEach((key, value) -> {
                if (!RetryOnEndpointWebExtension.SELECTORS.contains(key)) {
                    values.put(key, value == null ? null : String.valueOf(value));
                }
            });
            arguments.put(parameter, new SettingsRequest(values));
            SecurityContext caller = context.resolveArgument(SecurityContext.class);
            return new InvocationContext(caller == null ? SecurityContext.NONE : caller, arguments);
        }
    }
}

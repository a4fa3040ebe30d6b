/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.stored;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.CoroutinesUtils;
import reactor.core.publisher.Flux;

/** Calls of Kotlin's suspend functions. Apart, because its types need not be there. */
final class SuspendCall {

    private SuspendCall() {}

    /**
     * Starts a function on this thread.
     *
     * @param method the function
     * @param bean the object that has it
     * @param arguments its arguments
     * @return completes without a value when the function, or the flow that it returns, completes
     */
    static CompletionStage<?> start(Method method, Object bean, @Nullable Object[] arguments) {
        return Flux.from(CoroutinesUtils.invokeSuspendingFunction(method, bean, arguments))
                .then()
                .toFuture();
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.stored;

import dev.retryon.spring.internal.style.ReturnStyles;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Results that come after their method has returned. */
final class LaterResult {

    private static final boolean REACTIVE =
            ClassUtils.isPresent("reactor.core.publisher.Flux", LaterResult.class.getClassLoader());

    private LaterResult() {}

    /** Returns a future of a result, and subscribes to a publisher; {@code null} for results that do not come later. */
    static @Nullable Future<?> of(@Nullable Object result) {
        if (result instanceof CompletionStage<?> stage) {
            return stage.toCompletableFuture();
        }
        if (result instanceof Future<?> future) {
            return future;
        }
        return REACTIVE ? SuspendCall.subscribe(result) : null;
    }

    /** Waits for a result that comes later, and cancels it if the thread is interrupted; returns others. */
    static @Nullable Object await(@Nullable Object result) throws Throwable {
        Future<?> later = of(result);
        return later == null ? result : ReturnStyles.await(later);
    }

    /** Throws the error of a result that has come, as a method that returns nothing would throw it. */
    static void throwError(@Nullable Object result) throws InvocationTargetException {
        if (result instanceof CompletableFuture<?> future && future.isCompletedExceptionally()) {
            throw new InvocationTargetException(
                    future.handle((value, error) -> error).join());
        }
    }
}

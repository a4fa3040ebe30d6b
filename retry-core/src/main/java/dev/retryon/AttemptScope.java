/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes a call's context the current one of a thread that goes on with an attempt of it, such as the thread on which a
 * coroutine is resumed. Until the scope is closed, {@link RetryContext#current()} finds the context on that thread.
 *
 * <pre>{@code
 * RetryContext context = RetryContext.current();
 * executor.execute(() -> {
 *     try (AttemptScope scope = AttemptScope.open(context)) {
 *         send(RetryContext.current().attempt());
 *     }
 * });
 * }</pre>
 *
 * @since 0.1.0
 */
public final class AttemptScope implements AutoCloseable {

    private final @Nullable Object[] frame;

    private final @Nullable Object outer;

    private boolean closed;

    private AttemptScope(@Nullable Object[] frame, RetryContext context) {
        this.frame = frame;
        this.outer = CallFrame.enter(frame, context);
    }

    /**
     * Makes a context the current one of this thread.
     *
     * @param context the context of a call, from {@link RetryContext#current()} on the thread that has begun the attempt
     * @return the scope; to be closed on this thread, after scopes that were opened later
     */
    public static AttemptScope open(RetryContext context) {
        return new AttemptScope(CallFrame.get(), Objects.requireNonNull(context, "context"));
    }

    /** Puts back the context that the thread had before. Does nothing the second time. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            CallFrame.leave(frame, outer);
        }
    }
}

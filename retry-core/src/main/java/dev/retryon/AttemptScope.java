// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sets the context of a call on another thread that continues the attempt, such as the thread on which a
 * coroutine resumes. Until the scope is closed, {@link RetryContext#current()} returns the context on that thread.
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
     * Makes a context current on this thread.
     *
     * @param context the context of a call, from {@link RetryContext#current()} on the thread that started the attempt
     * @return the scope; close it on this thread, after any scopes that were opened later
     */
    public static AttemptScope open(RetryContext context) {
        return new AttemptScope(CallFrame.get(), Objects.requireNonNull(context, "context"));
    }

    /** Restores the previous context of the thread. A second call does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            CallFrame.leave(frame, outer);
        }
    }
}

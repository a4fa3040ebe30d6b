/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import dev.retryon.RetryResult;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The override that {@code Retries} has opened for the intercepted calls of a lambda on this thread, and the result of the
 * last of them. The advice reads and writes it; it is not for applications.
 *
 * @since 0.1.0
 */
public final class RetryScope {

    /**
     * How many scopes are open in all threads. While there are none, which is nearly always, the advice reads this one
     * field and no thread-local. A thread sees at least its own scope.
     */
    private static final AtomicInteger OPEN = new AtomicInteger();

    private static final ThreadLocal<@Nullable RetryScope> CURRENT = new ThreadLocal<>();

    private final RetrySettings override;

    private RetryResult<?> last = RetryResult.none();

    private RetryScope(RetrySettings override) {
        this.override = override;
    }

    /**
     * The scope of the current thread.
     *
     * @return the innermost scope, or {@code null} if there is none
     */
    public static @Nullable RetryScope current() {
        return OPEN.getPlain() == 0 ? null : CURRENT.get();
    }

    /**
     * The settings that the override gives to a call.
     *
     * @return the settings, possibly empty
     */
    public RetrySettings override() {
        return override;
    }

    /**
     * Suspends this scope while an attempt runs, so that calls nested in it are not meant.
     *
     * @return to be closed when the call has ended
     */
    public Suspension suspend() {
        CURRENT.remove();
        return this::resume;
    }

    private void resume() {
        CURRENT.set(this);
    }

    /**
     * Remembers how an intercepted call went.
     *
     * @param result the result
     */
    public void record(RetryResult<?> result) {
        last = result;
    }

    /**
     * How the last intercepted call went.
     *
     * @return its result; {@link RetryResult#none()} if there was no call
     */
    public RetryResult<?> last() {
        return last;
    }

    /**
     * Opens a scope for the time of a lambda.
     *
     * @param override the settings, laid over those of the scope around it
     * @return to be closed when the lambda has ended
     */
    public static RetryScope open(RetrySettings override) {
        RetryScope outer = current();
        RetryScope scope = new RetryScope(outer == null ? override : outer.override.and(override));
        OPEN.incrementAndGet();
        CURRENT.set(scope);
        return scope;
    }

    /**
     * Closes this scope.
     *
     * @param outer the scope that was current before it, or {@code null} if there was none
     */
    public void close(@Nullable RetryScope outer) {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
            outer.record(last);
        }
        OPEN.decrementAndGet();
    }

    /** Ends a suspension. */
    @FunctionalInterface
    public interface Suspension extends AutoCloseable {

        @Override
        void close();
    }
}

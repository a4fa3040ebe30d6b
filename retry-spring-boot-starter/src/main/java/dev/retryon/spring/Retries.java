/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import dev.retryon.RetryCallable;
import dev.retryon.RetryResult;
import dev.retryon.RetryRunnable;
import dev.retryon.spring.settings.RetryScope;
import dev.retryon.spring.settings.RetrySettings;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Overrides for one call what annotations and properties configure for all calls, or captures how one call went.
 *
 * <pre>{@code
 * Receipt receipt = Retries.with(o -> o.maxAttempts(10).delay(Duration.ofSeconds(2)))
 *     .call(() -> payments.charge(order));
 *
 * RetryResult<Receipt> result = Retries.capture(() -> payments.charge(order));
 * }</pre>
 *
 * <p>Both reach the intercepted calls that the lambda itself makes on this thread, not those nested inside them.
 *
 * @since 0.1.0
 */
public final class Retries {

    private Retries() {}

    /**
     * Overrides settings: the strongest layer of all.
     *
     * @param override sets what is different; lists add up
     * @return what to call with it
     */
    public static Overridden with(Consumer<RetrySettings.Builder> override) {
        RetrySettings.Builder builder = RetrySettings.builder();
        override.accept(builder);
        return new Overridden(builder.build());
    }

    /**
     * Calls, and returns the outcome instead of throwing.
     *
     * @param <T> the value's type
     * @param callable a lambda that makes one intercepted call, usually
     * @return the lambda's value or exception, and what its last intercepted call took. A call that returns a future or a
     *     publisher counts if it has ended when the lambda does: the lambda waits for it ({@code join()}, {@code block()}).
     *     No attempts if the lambda made no call, or if the last one has not ended or was cancelled. An {@link Error} that
     *     the lambda throws is thrown.
     */
    public static <T extends @Nullable Object> RetryResult<T> capture(RetryCallable<T, ?> callable) {
        return new Overridden(RetrySettings.builder().build()).capture(callable);
    }

    /** Settings for the calls of one lambda. Immutable. */
    public static final class Overridden {

        private final RetrySettings settings;

        private Overridden(RetrySettings settings) {
            this.settings = settings;
        }

        /**
         * Calls with these settings.
         *
         * @param <T> the value's type
         * @param <E> the checked exception that the lambda throws
         * @param callable a lambda that makes intercepted calls
         * @return the lambda's value
         * @throws E what the lambda throws
         * @throws IllegalArgumentException if the settings contradict those of a method that is called
         */
        public <T extends @Nullable Object, E extends Exception> T call(RetryCallable<T, E> callable) throws E {
            RetryScope outer = RetryScope.current();
            RetryScope scope = RetryScope.open(settings);
            try {
                return callable.call();
            } finally {
                scope.close(outer);
            }
        }

        /**
         * Runs with these settings.
         *
         * @param <E> the checked exception that the lambda throws
         * @param runnable a lambda that makes intercepted calls
         * @throws E what the lambda throws
         * @throws IllegalArgumentException if the settings contradict those of a method that is called
         */
        public <E extends Exception> void run(RetryRunnable<E> runnable) throws E {
            RetryScope outer = RetryScope.current();
            RetryScope scope = RetryScope.open(settings);
            try {
                runnable.run();
            } finally {
                scope.close(outer);
            }
        }

        /**
         * Calls with these settings, and returns the outcome instead of throwing.
         *
         * @param <T> the value's type
         * @param callable a lambda that makes one intercepted call, usually
         * @return as {@link Retries#capture} describes
         */
        public <T extends @Nullable Object> RetryResult<T> capture(RetryCallable<T, ?> callable) {
            RetryScope outer = RetryScope.current();
            RetryScope scope = RetryScope.open(settings);
            try {
                T value = callable.call();
                return scope.last().withValue(value);
            } catch (Exception ex) {
                return scope.last().withError(ex);
            } finally {
                scope.close(outer);
            }
        }
    }
}

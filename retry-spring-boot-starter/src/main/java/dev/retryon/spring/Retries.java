// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.RetryCallable;
import dev.retryon.RetryResult;
import dev.retryon.RetryRunnable;
import dev.retryon.spring.internal.scope.RetryScope;
import dev.retryon.spring.module.RetrySettings;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Overrides settings for one call, or captures its outcome.
 *
 * <pre>{@code
 * Receipt receipt = Retries.with(o -> o.maxAttempts(10).delay(Duration.ofSeconds(2)))
 *     .call(() -> payments.charge(order));
 *
 * RetryResult<Receipt> result = Retries.capture(() -> payments.charge(order));
 * }</pre>
 *
 * <p>Both methods apply to calls of retried methods that the lambda runs directly on this thread. Neither method
 * applies to calls that are nested in retried methods.
 *
 * @since 0.1.0
 */
public final class Retries {

    private Retries() {}

    /**
     * Overrides settings for the calls of one lambda. These settings are the strongest layer.
     *
     * @param override sets the settings to override; lists are added to the lists of weaker layers
     * @return an object that runs a lambda with these settings
     */
    public static Overridden with(Consumer<RetrySettingsBuilder> override) {
        RetrySettingsBuilder builder = new RetrySettingsBuilder();
        override.accept(builder);
        return new Overridden(builder.build());
    }

    /**
     * Runs a lambda and returns its outcome instead of throwing an exception. An {@link Error} is still thrown.
     *
     * <p>If the retried method returns a future or a publisher, wait for its result in the lambda, for example with
     * {@code join()} or {@code block()}. The outcome has no attempts if the lambda does not call a retried method, or
     * if its last call was cancelled or has not ended.
     *
     * @param <T> the value's type
     * @param callable a lambda that usually calls one retried method
     * @return the lambda's value or exception, with the attempts and delays of its last call of a retried method
     */
    public static <T extends @Nullable Object> RetryResult<T> capture(RetryCallable<T, ?> callable) {
        return new Overridden(RetrySettings.NONE).capture(callable);
    }

    /** Settings for the calls of one lambda. Immutable. */
    public static final class Overridden {

        private final RetrySettings settings;

        private Overridden(RetrySettings settings) {
            this.settings = settings;
        }

        /**
         * Runs a lambda with these settings and returns its value.
         *
         * @param <T> the value's type
         * @param <E> the checked exception that the lambda throws
         * @param callable a lambda that calls retried methods
         * @return the lambda's value
         * @throws E if the lambda throws it
         * @throws IllegalArgumentException if the settings contradict the settings of the called method
         */
        public <T extends @Nullable Object, E extends Exception> T call(RetryCallable<T, E> callable) throws E {
            try (RetryScope scope = RetryScope.open(settings)) {
                return callable.call();
            }
        }

        /**
         * Runs a lambda with these settings.
         *
         * @param <E> the checked exception that the lambda throws
         * @param runnable a lambda that calls retried methods
         * @throws E if the lambda throws it
         * @throws IllegalArgumentException if the settings contradict the settings of the called method
         */
        public <E extends Exception> void run(RetryRunnable<E> runnable) throws E {
            this.<Boolean, E>call(() -> {
                runnable.run();
                return true;
            });
        }

        /**
         * Runs a lambda with these settings and returns its outcome instead of throwing an exception. See
         * {@link Retries#capture}.
         *
         * @param <T> the value's type
         * @param callable a lambda that usually calls one retried method
         * @return the outcome
         */
        public <T extends @Nullable Object> RetryResult<T> capture(RetryCallable<T, ?> callable) {
            RetryScope scope = RetryScope.open(settings);
            try {
                T value = callable.call();
                return scope.last().withValue(value);
            } catch (Exception ex) {
                return scope.last().withError(ex);
            } finally {
                scope.close();
            }
        }
    }
}

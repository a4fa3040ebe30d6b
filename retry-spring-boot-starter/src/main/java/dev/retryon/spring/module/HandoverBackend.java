// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.CallHandover;
import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.Retry;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.scope.RetryScope;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * Takes over the retries of calls to run them later. A module provides the implementation as a bean, which is looked up
 * when a call first needs it. Thread-safe.
 */
public interface HandoverBackend {

    /**
     * Stores a call as {@link CallHandover#take} does.
     *
     * @param override the settings that {@code Retries.with} sets for this call; can be empty
     */
    void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) throws Exception;

    /**
     * Returns the style of a method whose calls are stored before their first attempt.
     *
     * @param later the style of a method that returns before its result is available; {@code null} if the method is
     *     {@code void}
     */
    ReturnStyle storing(RetriedMethod method, @Nullable ReturnStyle later);

    /**
     * Returns a handover that uses the backend bean of a context. The bean can require a database, but policies are
     * assembled before most beans exist. Therefore, the bean is looked up when a call needs it.
     *
     * @param override the settings that {@code Retries.with} sets for the calls; can be empty
     */
    static CallHandover of(BeanFactory beanFactory, RetrySettings override) {
        return (subject, state, delay) ->
                beanFactory.getBean(HandoverBackend.class).take(subject, state, delay, override);
    }

    /**
     * Opens a scope in which the next intercepted call of a method continues a stored call. This thread waits for the
     * result, even if the method returns earlier.
     *
     * @param resumption turns the method's retry into a retry that continues the stored call
     */
    static Resumption resume(RetriedMethod method, UnaryOperator<Retry> resumption) {
        return RetryScope.resume(method.key(), resumption);
    }

    /** A scope that continues a stored call. */
    interface Resumption extends AutoCloseable {

        /** Returns whether the stored call has not been continued yet. */
        boolean isPending();

        @Override
        void close();
    }

    /**
     * A call of a method that returns before its result is available. The recovery of the method has the same return
     * type, which this type converts to a value that the engine can wait for.
     */
    interface DeferredInvocation extends MethodInvocation {

        /**
         * Converts the result of a recovery method to the recovered value, or to a stage that completes with this
         * value.
         *
         * @throws Throwable the error of a recovery for which this method waited
         */
        @Nullable Object recovered(@Nullable Object returned) throws Throwable;

        /** Waits for a future and throws its error. Cancels the future if the thread is interrupted. */
        static @Nullable Object await(Future<?> future) throws Throwable {
            try {
                return future.get();
            } catch (ExecutionException ex) {
                throw ex.getCause() != null ? ex.getCause() : ex;
            } catch (InterruptedException ex) {
                future.cancel(true);
                throw ex;
            }
        }
    }

    /** A style that adapts to the kind of call. Styles that applications define handle all calls in the same way. */
    interface AdaptableStyle extends ReturnStyle {

        /**
         * Returns the style for calls whose thread waits for the result. Such calls are those that Spring's
         * {@code @Async} runs, and stored calls that a worker runs. The thread can run all attempts and wait between
         * them.
         */
        default ReturnStyle held() {
            return this;
        }

        /** Returns the style for the attempts of a stored call; {@code null} for plain values. */
        default @Nullable ReturnStyle resumed() {
            return this;
        }

        /** Returns the style for a call whose settings {@code Retries.with} overrides. */
        default ReturnStyle overridden(RetrySettings override) {
            return this;
        }

        static ReturnStyle held(ReturnStyle style) {
            return style instanceof AdaptableStyle adaptable ? adaptable.held() : style;
        }

        static @Nullable ReturnStyle resumed(@Nullable ReturnStyle style) {
            return style instanceof AdaptableStyle adaptable ? adaptable.resumed() : style;
        }

        static ReturnStyle overridden(ReturnStyle style, RetrySettings override) {
            return style instanceof AdaptableStyle adaptable ? adaptable.overridden(override) : style;
        }
    }
}

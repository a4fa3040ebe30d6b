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
 * Takes over the retries of calls, to run them later. A module contributes one as a bean, which is looked up when the first call
 * needs it. Thread-safe.
 */
public interface HandoverBackend {

    /**
     * Stores a call as {@link CallHandover#take} does.
     *
     * @param override what {@code Retries.with} sets for this call, possibly nothing
     */
    void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) throws Exception;

    /**
     * Returns the style of a method whose calls are stored instead of running their first attempt.
     *
     * @param later how its result comes later; {@code null} if the method is {@code void}
     */
    ReturnStyle storing(RetriedMethod method, @Nullable ReturnStyle later);

    /**
     * Hands calls over to the backend bean of a context, which may need a database. Policies are assembled before most beans
     * exist, so the bean is looked up when a call needs it.
     *
     * @param override what {@code Retries.with} sets for the calls, possibly nothing
     */
    static CallHandover of(BeanFactory beanFactory, RetrySettings override) {
        return (subject, state, delay) ->
                beanFactory.getBean(HandoverBackend.class).take(subject, state, delay, override);
    }

    /**
     * Opens a scope in which the next intercepted call of a method continues a stored call. This thread waits for its result,
     * even if the method returns before.
     *
     * @param resumption turns the method's retry into one that continues the call
     */
    static Resumption resume(RetriedMethod method, UnaryOperator<Retry> resumption) {
        return RetryScope.resume(method.key(), resumption);
    }

    /** A scope that continues a stored call. */
    interface Resumption extends AutoCloseable {

        /** Whether the call was not continued yet. */
        boolean isPending();

        @Override
        void close();
    }

    /**
     * A call of a method whose result comes later. Its recovery returns the method's return type; this converts it to
     * something that the engine can wait for.
     */
    interface DeferredInvocation extends MethodInvocation {

        /**
         * Converts what a recovery method has returned to a stage that completes with the recovered value, or to the value.
         *
         * @throws Throwable the error of a recovery that was waited for
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

    /** A style that adapts to the kind of call. The styles of applications handle all calls in the same way. */
    interface AdaptableStyle extends ReturnStyle {

        /**
         * The style for calls whose thread waits until the result is available: calls that Spring's {@code @Async} runs, and
         * stored calls that a worker runs. That thread can run all attempts and wait between them.
         */
        default ReturnStyle held() {
            return this;
        }

        /** The style for the attempts of a stored call; {@code null} for plain values. */
        default @Nullable ReturnStyle resumed() {
            return this;
        }

        /** The style for a call whose settings {@code Retries.with} overrides. */
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

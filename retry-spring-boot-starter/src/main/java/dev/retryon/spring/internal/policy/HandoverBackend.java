// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.CallHandover;
import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.settings.RetrySettings;
import java.time.Duration;
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
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.style;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.spring.settings.RetrySettings;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * How a method gives its result when that is not there yet on return, and how such calls are retried.
 *
 * @since 0.1.0
 */
public interface ReturnStyle {

    /**
     * Whether a method is of this style.
     *
     * @param method the method
     * @return {@code true} if {@link #call} knows what to do with what it returns
     */
    boolean isStyleOf(Method method);

    /**
     * Whether the result of a method of this style can be many values. There is then no single value to judge, so {@code
     * retryIf} can't be used.
     *
     * @param method the method
     * @return {@code false}, unless the style overrides it
     */
    default boolean hasManyValues(Method method) {
        return false;
    }

    /**
     * The style for calls that Spring's {@code @Async} makes: a thread is held until the result is there, so that thread
     * may as well make all attempts and wait between them.
     *
     * @return this, unless there is something better
     */
    default ReturnStyle held() {
        return this;
    }

    /**
     * The style for the attempts of a call that was stored.
     *
     * @return this, unless calls are stored by the style itself; {@code null} for plain values
     */
    default @Nullable ReturnStyle resumed() {
        return this;
    }

    /**
     * The style for a call with settings of its own.
     *
     * @param override what {@code Retries.with} sets for the call
     * @return this, unless the settings are needed beyond the call
     */
    default ReturnStyle overridden(RetrySettings override) {
        return this;
    }

    /**
     * Calls a method of this style.
     *
     * @param retry runs the call
     * @param invocation the call
     * @param attempts makes one attempt; returns what the method returns
     * @return what the method would return: something of its return type
     * @throws Throwable what the result can't carry
     */
    @Nullable Object call(Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable;
}

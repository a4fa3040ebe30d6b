// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Retries methods that return before their result is available, for example methods that return a future or a
 * publisher. Define a bean of this type to support another return type.
 *
 * @since 0.1.0
 */
public interface ReturnStyle {

    /**
     * Returns whether this style supports a method.
     *
     * @param method the method
     * @return {@code true} if {@link #call} supports the return type of the method
     */
    boolean isStyleOf(Method method);

    /**
     * Returns whether a method can produce several values. {@code retryIf}, which checks one value, is not supported
     * for such a method.
     *
     * @param method the method
     * @return {@code false}, unless the style overrides this method
     */
    default boolean hasManyValues(Method method) {
        return false;
    }

    /**
     * Calls a method and retries it.
     *
     * @param retry the retry that runs the call
     * @param invocation the call
     * @param attempts runs one attempt and returns the value that the method has returned
     * @return a value of the method's return type
     * @throws Throwable an error that the returned value cannot contain
     */
    @Nullable Object call(Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable;
}

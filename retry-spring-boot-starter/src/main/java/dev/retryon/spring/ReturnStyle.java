// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Retries methods that return before their result is available, such as methods that return a future or a publisher. Define
 * a bean of this type to support another return type.
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
     * Returns whether the result of a method can be many values. {@code retryIf} is not supported for such methods, because
     * there is no single value to check.
     *
     * @param method the method
     * @return {@code false}, unless the style overrides it
     */
    default boolean hasManyValues(Method method) {
        return false;
    }

    /**
     * Calls a method and retries it.
     *
     * @param retry the retry that runs the call
     * @param invocation the call
     * @param attempts runs one attempt and returns the value that the method returns
     * @return a value of the method's return type
     * @throws Throwable an error that the returned value cannot carry
     */
    @Nullable Object call(Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable;
}

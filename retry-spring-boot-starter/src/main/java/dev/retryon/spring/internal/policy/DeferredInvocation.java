// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method whose result comes later. Its recovery returns the method's return type; this converts it to
 * something that the engine can wait for.
 */
public interface DeferredInvocation extends MethodInvocation {

    /**
     * Converts what a recovery method has returned to a stage that completes with the recovered value, or to the value.
     *
     * @throws Throwable the error of a recovery that was waited for
     */
    @Nullable Object recovered(@Nullable Object returned) throws Throwable;
}

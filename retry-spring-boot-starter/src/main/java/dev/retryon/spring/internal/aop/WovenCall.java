// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** An execution of a method whose code calls the advice itself: no proxy and no other advice is known. */
public abstract class WovenCall implements MethodInvocation {

    private final Method method;

    private final @Nullable Object target;

    private final @Nullable Object[] arguments;

    /** The class of the target may override the method. The target of a static method is {@code null}. */
    protected WovenCall(Method method, @Nullable Object target, @Nullable Object[] arguments) {
        this.method = method;
        this.target = target;
        this.arguments = arguments;
    }

    @Override
    public Method getMethod() {
        return method;
    }

    @Override
    public @Nullable Object getThis() {
        return target;
    }

    @Override
    public @Nullable Object[] getArguments() {
        return arguments;
    }

    @Override
    public AccessibleObject getStaticPart() {
        return method;
    }
}

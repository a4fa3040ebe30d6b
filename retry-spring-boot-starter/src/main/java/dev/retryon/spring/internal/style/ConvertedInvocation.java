// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.spring.module.HandoverBackend.DeferredInvocation;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A call with a conversion for the result of its recovery. */
record ConvertedInvocation(MethodInvocation original, Conversion conversion) implements DeferredInvocation {

    @FunctionalInterface
    interface Conversion {

        @Nullable Object apply(@Nullable Object returned) throws Throwable;
    }

    @Override
    public @Nullable Object recovered(@Nullable Object returned) throws Throwable {
        return conversion.apply(returned);
    }

    @Override
    public Method getMethod() {
        return original.getMethod();
    }

    @Override
    public @Nullable Object[] getArguments() {
        return original.getArguments();
    }

    @Override
    public @Nullable Object proceed() throws Throwable {
        return original.proceed();
    }

    @Override
    public @Nullable Object getThis() {
        return original.getThis();
    }

    @Override
    public AccessibleObject getStaticPart() {
        return original.getStaticPart();
    }
}

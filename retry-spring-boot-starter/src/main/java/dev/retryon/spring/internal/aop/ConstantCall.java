// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The template of the classes that {@link TargetCalls} defines, one for each method. The template itself is never used. */
final class ConstantCall implements TargetCall {

    private static final MethodHandle METHOD = method();

    private static MethodHandle method() {
        try {
            return Objects.requireNonNull(
                    MethodHandles.classData(MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, MethodHandle.class));
        } catch (IllegalAccessException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public @Nullable Object on(@Nullable Object target, @Nullable Object[] arguments) throws Throwable {
        return (Object) METHOD.invokeExact(target, arguments);
    }
}

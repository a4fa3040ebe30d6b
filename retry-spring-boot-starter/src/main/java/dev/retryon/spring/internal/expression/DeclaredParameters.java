// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;

/** The parameters of a method as declared, without the continuation that the Kotlin compiler adds to suspend functions. */
public final class DeclaredParameters {

    private DeclaredParameters() {}

    public static int count(Method method) {
        return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
    }

    public static Class<?>[] types(Method method) {
        return Arrays.copyOf(method.getParameterTypes(), count(method));
    }

    public static @Nullable Object[] arguments(Method method, @Nullable Object[] arguments) {
        int count = count(method);
        return count == arguments.length ? arguments : Arrays.copyOf(arguments, count);
    }
}

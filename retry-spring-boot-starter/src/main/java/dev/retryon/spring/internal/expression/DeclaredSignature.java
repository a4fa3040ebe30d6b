// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The signature of a method as declared, without the continuation that the Kotlin compiler adds to suspend functions. */
public final class DeclaredSignature {

    private static final boolean REACTIVE =
            ClassUtils.isPresent("org.reactivestreams.Publisher", DeclaredSignature.class.getClassLoader());

    private DeclaredSignature() {}

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

    /** Returns the return type, with the types of a class that inherits the method. */
    public static Class<?> returnType(Method method, Class<?> owner) {
        return KotlinDetector.isSuspendingFunction(method)
                ? new MethodParameter(method, -1).getParameterType()
                : ResolvableType.forMethodReturnType(method, owner).toClass();
    }

    /** Returns whether a returned value of a type, such as a future or a publisher, completes later. */
    public static boolean completesLater(Class<?> returnType) {
        return Future.class.isAssignableFrom(returnType)
                || CompletionStage.class.isAssignableFrom(returnType)
                || (REACTIVE && ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType) != null);
    }
}

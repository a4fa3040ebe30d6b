// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.NativeDetector;

/**
 * Creates the calls of targets' methods. Each call has its own class with the method as a constant, because only then can the
 * compiler inline the method into the advice. A separate stack frame adds about 50 ns to every error that passes it.
 */
final class TargetCalls {

    private static final MethodType TYPE = MethodType.methodType(Object.class, Object.class, Object[].class);

    /** The bytecode of these classes; {@code null} if no classes can be defined. */
    private static final byte @Nullable [] TEMPLATE = NativeDetector.inNativeImage() ? null : template();

    /** The created calls, by target class, so that the proxies of a prototype share one class. */
    private static final ClassValue<Map<Method, Optional<TargetCall>>> KNOWN = new ClassValue<>() {

        @Override
        protected Map<Method, Optional<TargetCall>> computeValue(Class<?> targetClass) {
            return new ConcurrentHashMap<>();
        }
    };

    private TargetCalls() {}

    private static byte @Nullable [] template() {
        try (InputStream code = ConstantCall.class.getResourceAsStream(ConstantCall.class.getSimpleName() + ".class")) {
            return code == null ? null : code.readAllBytes();
        } catch (IOException ex) {
            return null;
        }
    }

    /** Returns the call to a method of a target class, or {@code null} if only the invocation can call the method. */
    static @Nullable TargetCall of(Class<?> targetClass, Method method) {
        return KNOWN.get(targetClass)
                .computeIfAbsent(method, missing -> Optional.ofNullable(make(targetClass, method)))
                .orElse(null);
    }

    private static @Nullable TargetCall make(Class<?> targetClass, Method method) {
        if (TEMPLATE == null
                || !method.getDeclaringClass().isAssignableFrom(targetClass)
                || Modifier.isStatic(method.getModifiers())
                || KotlinDetector.isSuspendingFunction(method)) {
            return null;
        }
        try {
            method.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup()
                    .unreflect(method)
                    .asFixedArity()
                    .asSpreader(Object[].class, method.getParameterCount())
                    .asType(TYPE);
            return (TargetCall) MethodHandles.lookup()
                    .defineHiddenClassWithClassData(TEMPLATE, handle, true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | RuntimeException | LinkageError ex) {
            return null;
        }
    }
}

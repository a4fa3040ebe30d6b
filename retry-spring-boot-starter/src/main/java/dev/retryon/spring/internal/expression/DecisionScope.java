// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Marks the time in which this thread computes an expression or a backoff for a call. The computation can call methods of
 * the called object. Behind a proxy, these are plain calls, because the computation has the object itself. They are also
 * plain calls if the methods are woven, because each of them would otherwise start the same computation again.
 */
public final class DecisionScope {

    private static final ThreadLocal<@Nullable DecisionScope> CURRENT = new ThreadLocal<>();

    private final @Nullable Object target;

    private final Class<?> targetClass;

    private final @Nullable DecisionScope outer;

    private DecisionScope(@Nullable Object target, Class<?> targetClass, @Nullable DecisionScope outer) {
        this.target = target;
        this.targetClass = targetClass;
        this.outer = outer;
    }

    /**
     * Computes something for a call.
     *
     * @param target the called object; {@code null} for a static method
     * @param targetClass the object's class, whose static methods also belong to the object
     */
    public static <T extends @Nullable Object> T during(
            @Nullable Object target, Class<?> targetClass, Supplier<T> decision) {
        DecisionScope outer = CURRENT.get();
        CURRENT.set(new DecisionScope(target, targetClass, outer));
        try {
            return decision.get();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /**
     * Returns whether a method of the given class, called on the given object, belongs to the object of a running
     * computation. For a static method, the object is {@code null}.
     */
    public static boolean covers(@Nullable Object called, Class<?> declaring) {
        for (DecisionScope next = CURRENT.get(); next != null; next = next.outer) {
            if (called != null ? called == next.target : declaring.isAssignableFrom(next.targetClass)) {
                return true;
            }
        }
        return false;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Marks the time in which this thread computes an expression or a backoff for a call. Such a computation may call methods of
 * the object that is called. Behind a proxy these are plain calls, because the computation has the object itself. They are
 * plain calls if the methods are woven, too: otherwise each of them would start the same computation again.
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
     * @param target the object that is called; {@code null} for a static method
     * @param targetClass its class, whose static methods are its methods too
     * @param decision the computation
     * @return its result
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
     * Whether a method belongs to the object of a running computation.
     *
     * @param called the object on which it is called; {@code null} for a static method
     * @param declaring the class that declares it
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

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.util.List;

/** Checks all retried methods when they are known, before start-up is complete. */
public interface MethodsCheck {

    /**
     * Checks the methods.
     *
     * @param methods the methods of all beans, except of beans that do not exist yet and are known only by an
     *     interface; their methods follow in a separate call
     * @param faults takes faults, which end the start
     */
    void check(List<RetriedMethod> methods, RetryFaults faults);

    /** Records a bean that has retried methods. Called before {@link #check} for each such bean. */
    default void found(Class<?> beanClass, String name) {}

    /** Runs once, after all beans were found and before the first {@link #check}. */
    default void complete(RetryFaults faults) {}
}

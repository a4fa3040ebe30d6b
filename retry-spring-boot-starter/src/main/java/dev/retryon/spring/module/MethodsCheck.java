// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.util.List;

/** Checks all retried methods before start-up is complete. */
public interface MethodsCheck {

    /**
     * Checks retried methods and records their faults.
     *
     * @param methods the methods of all beans. If a bean does not exist yet and is known only by an
     *     interface, its methods follow in a separate call
     * @param faults collects the faults, which stop the application
     */
    void check(List<RetriedMethod> methods, RetryFaults faults);

    /** Records a bean that has retried methods. Called before {@link #check}, once for each such bean. */
    default void found(Class<?> beanClass, String name) {}

    /** Runs once, after all beans have been found and before the first {@link #check}. */
    default void complete(RetryFaults faults) {}
}

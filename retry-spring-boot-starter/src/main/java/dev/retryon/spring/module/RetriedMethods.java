// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The retried methods of the application, and the policies of its other retries. Thread-safe. */
public interface RetriedMethods {

    /**
     * Finds the engine that a context defines. A parameter named {@code retryOnEngine} would receive the parent's
     * engine if the child's engine has another name.
     */
    static RetryEngine engineOf(ConfigurableListableBeanFactory beanFactory) {
        String name = "retryOnEngine";
        // By name first, because a search by type checks every bean definition.
        return beanFactory.containsLocalBean(name) && beanFactory.isTypeMatch(name, RetryEngine.class)
                ? beanFactory.getBean(name, RetryEngine.class)
                : beanFactory.getBean(RetryEngine.class);
    }

    /**
     * Returns the methods that are currently known, as a copy sorted by name and key. After start-up, these are the
     * methods of all beans, except beans that are known only by an interface and do not exist yet.
     */
    List<? extends RetriedMethod> methods();

    /**
     * Passes every method to an observer, including methods that are found later. The observer can receive a method
     * more than once.
     */
    void observeMethods(Consumer<RetriedMethod> observer);

    /** Passes the name and the policy of every retry to an observer, as {@link #observeMethods} does for methods. */
    void observePolicies(BiConsumer<String, RetryPolicy> observer);

    /** Returns the policies of all retries that are currently known. */
    List<RetryPolicy> policies();
}

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
     * Finds the engine that a context defines. A parameter named {@code retryOnEngine} would receive the parent's engine
     * where the child defines one under another name.
     */
    static RetryEngine engineOf(ConfigurableListableBeanFactory beanFactory) {
        String name = "retryOnEngine";
        // By name first: a search by type looks at every bean definition.
        return beanFactory.containsLocalBean(name) && beanFactory.isTypeMatch(name, RetryEngine.class)
                ? beanFactory.getBean(name, RetryEngine.class)
                : beanFactory.getBean(RetryEngine.class);
    }

    /**
     * The methods known by now. After start-up these are the methods of all beans, except of beans that are known only by an
     * interface and not made yet. Returns a copy, sorted by name and key.
     */
    List<? extends RetriedMethod> methods();

    /** Passes every method to an observer, including methods that are found later; perhaps more than once. */
    void observeMethods(Consumer<RetriedMethod> observer);

    /** Passes the name and the policy of every retry to an observer, as {@link #observeMethods} does with methods. */
    void observePolicies(BiConsumer<String, RetryPolicy> observer);

    /** The policies of all retries known by now. */
    List<RetryPolicy> policies();
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryEngine;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds the engine that a context defines. A parameter named {@code retryOnEngine} would receive the parent's engine where the
 * child defines one under another name.
 */
public final class EngineOfContext {

    private static final String NAME = "retryOnEngine";

    private EngineOfContext() {}

    public static RetryEngine in(ConfigurableListableBeanFactory beanFactory) {
        // By name first: a search by type looks at every bean definition.
        return beanFactory.containsLocalBean(NAME) && beanFactory.isTypeMatch(NAME, RetryEngine.class)
                ? beanFactory.getBean(NAME, RetryEngine.class)
                : beanFactory.getBean(RetryEngine.class);
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.RetryFaults;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at all retried methods when they are known, before the application's start ends.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MethodsCheck {

    /**
     * The check of all beans once the singletons are made, which ends the start if anything is wrong.
     *
     * @param beans the beans
     * @param resolver knows what holds for a method
     * @param faults has what was found wrong before, and takes what is found now
     * @param storedMethods receives the beans that have retried methods
     * @param checks look at the methods too
     * @return what Spring calls once the singletons are made
     */
    static SmartInitializingSingleton ofAllBeans(
            ConfigurableListableBeanFactory beans,
            RetryMethodResolver resolver,
            RetryFaults faults,
            StoredMethods storedMethods,
            ObjectProvider<MethodsCheck> checks) {
        return new RetryBeanCheck(beans, resolver, faults, storedMethods, checks);
    }

    /**
     * Looks at the methods.
     *
     * @param methods those of all beans, except of beans that are known only by an interface and not made yet; those of a bean
     *     that is made later come in a call of their own
     * @param faults takes what is wrong; anything ends the start
     */
    void check(List<RetriedMethod> methods, RetryFaults faults);
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.check;

import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.internal.report.RetryFaults;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Checks all retried methods when they are known, before the start of the application ends. */
public interface MethodsCheck {

    /**
     * The check of all beans once the singletons are made, which ends the start if anything is wrong.
     *
     * @param beans the beans
     * @param resolver finds the settings of a method
     * @param woven whether methods are woven instead of being called through proxies
     * @param faults contains the earlier faults, and receives the new ones
     * @param checks look at the methods too
     * @return what Spring calls once the singletons are made
     */
    static SmartInitializingSingleton ofAllBeans(
            ConfigurableListableBeanFactory beans,
            RetryMethodResolver resolver,
            boolean woven,
            RetryFaults faults,
            ObjectProvider<MethodsCheck> checks) {
        return new RetryBeanCheck(beans, resolver, woven, faults, checks);
    }

    /**
     * Checks the methods.
     *
     * @param methods the methods of all beans, except of beans that do not exist yet and are known only by an
     *     interface; their methods follow in a separate call
     * @param faults takes what is wrong; anything ends the start
     */
    void check(List<RetriedMethod> methods, RetryFaults faults);

    /**
     * Records a bean that has retried methods. Called before {@link #check} for each such bean.
     *
     * @param beanClass the class of the bean
     * @param name the name of the bean
     */
    default void found(Class<?> beanClass, String name) {}

    /**
     * Runs once, after all beans were found and before the first {@link #check}.
     *
     * @param faults takes what is wrong
     */
    default void complete(RetryFaults faults) {}
}

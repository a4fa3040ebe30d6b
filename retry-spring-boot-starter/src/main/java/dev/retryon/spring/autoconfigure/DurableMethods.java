/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.durable.DurableCalls;
import dev.retryon.spring.durable.DurableLifecycle;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.style.ReturnStyle;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** What durable methods need. Apart from the auto-configuration, so that an application without them loads none of it. */
final class DurableMethods {

    private DurableMethods() {}

    static void check(List<RetriedMethod> methods, RetryFaults faults, ConfigurableListableBeanFactory beanFactory) {
        DurableLifecycle.check(
                        beanFactory.getBeanClassLoader(),
                        () -> keepsDeadLetters(beanFactory),
                        () -> beanFactory.getBean(DurableCalls.class),
                        () -> beanFactory.getBean(DurableLifecycle.class))
                .check(methods, faults);
    }

    static boolean keepsDeadLetters(ConfigurableListableBeanFactory beanFactory) {
        return beanFactory.getBeanNamesForType(DeadLetterStore.class, true, false).length > 0;
    }

    /** Stores calls of a method in the place of their first attempt. */
    static ReturnStyle outbox(RetriedMethod method, BeanFactory beanFactory) {
        return DurableCalls.outbox(method, () -> beanFactory.getBean(DurableCalls.class));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.module.EffectiveSettings;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The applications that tests start, and what can be seen in them. */
public final class Applications {

    private Applications() {}

    /** An application that retries without waiting. */
    public static ApplicationContextRunner retrying() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withPropertyValues("retryon.defaults.backoff=none");
    }

    /** The one retried method of a class that has this name. */
    public static MethodRetry method(BeanFactory context, Class<?> beanClass, String name) {
        List<MethodRetry> found = methods(context, beanClass).stream()
                .filter(method -> method.method().getName().equals(name))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError("expected one retried method " + name + " of " + beanClass + ", found " + found);
        }
        return found.get(0);
    }

    /** The retried methods of a class. */
    public static List<MethodRetry> methods(BeanFactory context, Class<?> beanClass) {
        return context.getBean(NamedRetries.class).methods().stream()
                .filter(method -> method.beanClass() == beanClass)
                .toList();
    }

    public static EffectiveSettings settings(BeanFactory context, Class<?> beanClass, String name) {
        return method(context, beanClass, name).settings();
    }

    /** What was found wrong at start-up; empty if the application started. */
    public static List<RetryFault> faults(AssertableApplicationContext context) {
        Throwable failure = context.getStartupFailure();
        while (failure != null && !(failure instanceof RetryConfigurationException)) {
            failure = failure.getCause();
        }
        if (failure == null && context.getStartupFailure() != null) {
            throw new AssertionError("the start failed for another reason", context.getStartupFailure());
        }
        return failure == null ? List.of() : ((RetryConfigurationException) failure).faults();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A retried method of a bean, with its settings, which can change while the application runs. Thread-safe. */
public interface RetriedMethod {

    /**
     * Returns the name in meters, events, logs and endpoints, such as {@code PaymentService.charge}. Several methods
     * can share a name.
     */
    String name();

    /**
     * Returns the class of the bean, not of its proxy. If the bean is known only by an interface, returns the
     * interface.
     */
    Class<?> beanClass();

    /** Returns the most specific method. */
    Method method();

    /** Returns the unique key of the method, such as {@code com.acme.PaymentService#charge(com.acme.Order)}. */
    String key();

    EffectiveSettings settings();

    RetryPolicy policy();

    /** Returns the retry for calls that begin now. */
    Retry retry();

    /**
     * Returns a retry for one call, with an additional layer of settings.
     *
     * @throws IllegalArgumentException if the settings contradict each other
     */
    Retry override(RetrySettings override);

    /** Returns whether the retries of this method run later, without their callers. */
    boolean isHandedOver();

    /** Returns whether an operator has switched off the retries of this method at run time, which is rare. */
    boolean isSwitchedOff();

    /** Returns arguments without the continuation that the Kotlin compiler adds to suspend functions. */
    @Nullable Object[] declared(@Nullable Object[] arguments);

    /**
     * Parses the expression of a setting, which must be set.
     *
     * @throws IllegalArgumentException if the expression is invalid
     */
    Expression expression(Setting<String> setting);

    /** An expression that is evaluated for a call. Thread-safe. */
    @FunctionalInterface
    interface Expression {

        /** Evaluates the expression. Throws RuntimeException if the expression fails. */
        @Nullable Object valueOf(@Nullable Object target, @Nullable Object[] arguments);
    }
}

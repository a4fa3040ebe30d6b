// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A bean's method that is retried, with its settings. They may change while the application runs. Thread-safe. */
public interface RetriedMethod {

    /** Its name in meters, events, logs and endpoints, such as {@code PaymentService.charge}. Several can share a name. */
    String name();

    /** The bean's class, not that of a proxy; an interface if the bean is known only by one. */
    Class<?> beanClass();

    /** The most specific method. */
    Method method();

    /** The key of the method, which no other method has: {@code com.acme.PaymentService#charge(com.acme.Order)}. */
    String key();

    EffectiveSettings settings();

    RetryPolicy policy();

    /** The retry of calls that begin now. */
    Retry retry();

    /**
     * Returns the retry of one call, with one more layer.
     *
     * @throws IllegalArgumentException if the settings contradict each other
     */
    Retry override(RetrySettings override);

    /** Whether its retries run later, without their callers. */
    boolean isHandedOver();

    /** Whether an operator has switched it off while the application runs; {@code false} nearly always. */
    boolean isSwitchedOff();

    /** Returns arguments without the continuation that the Kotlin compiler adds to suspend functions. */
    @Nullable Object[] declared(@Nullable Object[] arguments);

    /**
     * Parses the expression of a setting that is set.
     *
     * @throws IllegalArgumentException if it is wrong
     */
    Expression expression(Setting<String> setting);

    /** An expression over a call. Thread-safe. */
    @FunctionalInterface
    interface Expression {

        /** Throws RuntimeException if the expression fails. */
        @Nullable Object valueOf(@Nullable Object target, @Nullable Object[] arguments);
    }
}

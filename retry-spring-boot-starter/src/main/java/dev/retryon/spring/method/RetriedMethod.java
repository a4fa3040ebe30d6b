/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.SettingSource;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bean's method that is retried, with its settings, their sources and its policy. Immutable.
 *
 * @since 0.1.0
 */
public final class RetriedMethod {

    private final Class<?> beanClass;

    private final Method method;

    private final MethodKey key;

    private final List<RetryLayer> layers;

    private final @Nullable SettingSource barrier;

    private final Retry retry;

    /** Merged when first asked for: calls need only the policy. */
    private @Nullable EffectiveSettings settings;

    /** The barrier is the annotation that inherits nothing, if there is one. */
    RetriedMethod(
            Class<?> beanClass, Method method, List<RetryLayer> layers, @Nullable SettingSource barrier, Retry retry) {
        this.beanClass = beanClass;
        this.method = method;
        this.key = MethodKey.of(beanClass, method);
        this.layers = layers;
        this.barrier = barrier;
        this.retry = retry;
    }

    /**
     * What meters, events, logs and endpoints call it. Overloads share a name.
     *
     * @return such as {@code PaymentService.charge}
     */
    public String name() {
        return retry.name();
    }

    /**
     * The bean's class.
     *
     * @return the class, not that of a proxy; an interface if the bean is known only by one
     */
    public Class<?> beanClass() {
        return beanClass;
    }

    /**
     * The method.
     *
     * @return the most specific one
     */
    public Method method() {
        return method;
    }

    /**
     * The key of the method, which no other method has.
     *
     * @return the long form
     */
    public MethodKey key() {
        return key;
    }

    /**
     * The method with its parameters, to tell overloads apart; a key for {@code retryon.methods}.
     *
     * @return the short form of the key, such as {@code com.acme.PaymentService#charge(Order,String)}; the long form if
     *     the short one fits another overload too
     */
    public String signature() {
        MethodKey written = MethodKey.parse(key.toShortString());
        return RetryDeclarations.methodsOf(beanClass, written::fits).size() > 1 ? key.toString() : written.toString();
    }

    /**
     * The settings of the method and their sources.
     *
     * @return the merged layers
     */
    public EffectiveSettings settings() {
        EffectiveSettings merged = settings;
        if (merged == null) {
            merged = EffectiveSettings.defaults().with(layers);
            settings = merged;
        }
        return merged;
    }

    /**
     * The annotation that says that weaker ones do not count.
     *
     * @return the annotation, or {@code null} if all annotations count
     */
    public @Nullable SettingSource barrier() {
        return barrier;
    }

    /**
     * The policy made of the settings.
     *
     * @return the policy
     */
    public RetryPolicy policy() {
        return retry.policy();
    }

    /**
     * What runs its calls.
     *
     * @return the retry
     */
    public Retry retry() {
        return retry;
    }

    @Override
    public String toString() {
        return key.toString();
    }
}

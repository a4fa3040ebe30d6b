// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.CallSubject;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.Place;
import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.expression.DeclaredParameters;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A bean's method that is retried. */
public final class RetriedMethod extends NamedRetry {

    private final Class<?> beanClass;

    private final Method method;

    private final MethodKey key;

    private final @Nullable SettingSource barrier;

    /** @param given its name; {@code null} for the default one */
    RetriedMethod(Class<?> beanClass, Method method, @Nullable String given, @Nullable SettingSource barrier) {
        super(given == null ? beanClass.getSimpleName() + "." + method.getName() : given);
        this.beanClass = beanClass;
        this.method = method;
        this.key = MethodKey.of(beanClass, method);
        this.barrier = barrier;
    }

    /** The bean's class, not that of a proxy; an interface if the bean is known only by one. */
    public Class<?> beanClass() {
        return beanClass;
    }

    /** The most specific method. */
    public Method method() {
        return method;
    }

    /** The key of the method, which no other method has: the long form. */
    public MethodKey key() {
        return key;
    }

    /**
     * The method with its parameters, to tell overloads apart; a key for {@code retryon.methods}: the short form of the key, such
     * as {@code com.acme.PaymentService#charge(Order,String)}; the long form if the short one fits another overload too.
     */
    public String signature() {
        MethodKey written = MethodKey.parse(key.toShortString());
        return RetryDeclarations.methodsOf(beanClass, written::fits).size() > 1 ? key.toString() : written.toString();
    }

    /** Whether a call can have a second attempt. */
    public boolean isRepeated() {
        return policy().retryable() && policy().maxAttempts() > 1;
    }

    /** Whether its retries run later, without their callers. */
    public boolean isHandedOver() {
        return settings().isHandedOver();
    }

    /** The annotation that makes weaker ones void; {@code null} if all annotations count. */
    public @Nullable SettingSource barrier() {
        return barrier;
    }

    /** The texts of annotations with placeholders or expressions, by their values, which may be secrets. */
    public Map<String, String> placeholders() {
        Map<String, String> placeholders = new HashMap<>();
        layers().own().forEach(layer -> placeholders.putAll(layer.placeholders()));
        return placeholders;
    }

    @Override
    List<RetryLayer> layersIn(MethodLayers base) {
        return base.of(beanClass, method);
    }

    @Override
    Place place() {
        return place(beanClass, method);
    }

    /** A method as warnings and faults name it. */
    static Place place(Class<?> beanClass, Method method) {
        return Place.code(beanClass.getName() + "." + method.getName());
    }

    @Override
    RetryBuilder builder(RetryPolicy policy, RetryEngine engine) {
        String described = key.toString();
        return Retry.builder(name(), policy).engine(engine).subjects(call -> {
            MethodInvocation invocation = (MethodInvocation) call;
            return CallSubject.of(
                    described, invocation.getThis(), DeclaredParameters.arguments(method, invocation.getArguments()));
        });
    }

    @Override
    public String toString() {
        return key.toString();
    }
}

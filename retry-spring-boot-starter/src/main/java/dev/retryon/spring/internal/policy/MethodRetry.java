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
import dev.retryon.spring.internal.expression.DeclaredSignature;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

public final class MethodRetry extends NamedRetry implements RetriedMethod {

    private final Class<?> beanClass;

    private final Method method;

    private final String key;

    private final @Nullable SettingSource barrier;

    private final RetryFactory factory;

    /** @param given the name of the retry; {@code null} for the default name */
    MethodRetry(
            Class<?> beanClass,
            Method method,
            @Nullable String given,
            @Nullable SettingSource barrier,
            RetryFactory factory) {
        super(given == null ? beanClass.getSimpleName() + "." + method.getName() : given);
        this.beanClass = beanClass;
        this.method = method;
        this.key = MethodKey.of(beanClass, method).toString();
        this.barrier = barrier;
        this.factory = factory;
    }

    @Override
    public Class<?> beanClass() {
        return beanClass;
    }

    @Override
    public Method method() {
        return method;
    }

    @Override
    public String key() {
        return key;
    }

    /**
     * Returns a key for {@code retryon.methods}: the short form, such as {@code com.acme.PaymentService#charge(Order,String)}, or
     * the long form if the short one also fits another overload.
     */
    public String signature() {
        MethodKey written = MethodKey.parse(MethodKey.of(beanClass, method).toShortString());
        return RetryDeclarations.methodsOf(beanClass, written::fits).size() > 1 ? key : written.toString();
    }

    public boolean isRepeated() {
        return policy().retryable() && policy().maxAttempts() > 1;
    }

    @Override
    public boolean isHandedOver() {
        return settings().isHandedOver();
    }

    @Override
    public @Nullable Object[] declared(@Nullable Object[] arguments) {
        return DeclaredSignature.arguments(method, arguments);
    }

    @Override
    public Retry override(RetrySettings override) {
        return override.isEmpty() ? retry() : factory.override(this, override);
    }

    @Override
    public Expression expression(Setting<String> setting) {
        String text = settings().require(setting);
        return factory.expressions().key(text, beanClass, method, settings().isShared(setting))::valueOf;
    }

    /** Returns the annotation that makes weaker ones void, or {@code null} if all annotations count. */
    public @Nullable SettingSource barrier() {
        return barrier;
    }

    /** Returns the texts of annotations with placeholders or expressions, by their values, which can be secrets. */
    public Map<String, String> placeholders() {
        Map<String, String> placeholders = new HashMap<>();
        layers().own().forEach(layer -> placeholders.putAll(layer.placeholders()));
        return placeholders;
    }

    @Override
    List<RetrySettings> layersIn(MethodLayers base) {
        return base.of(beanClass, method);
    }

    @Override
    Place place() {
        return place(beanClass, method);
    }

    static Place place(Class<?> beanClass, Method method) {
        return Place.code(beanClass.getName() + "." + method.getName());
    }

    @Override
    RetryBuilder builder(RetryPolicy policy, RetryEngine engine) {
        return Retry.builder(name(), policy).engine(engine).subjects(call -> {
            MethodInvocation invocation = (MethodInvocation) call;
            return CallSubject.of(key, invocation.getThis(), declared(invocation.getArguments()));
        });
    }

    @Override
    public String toString() {
        return key;
    }
}

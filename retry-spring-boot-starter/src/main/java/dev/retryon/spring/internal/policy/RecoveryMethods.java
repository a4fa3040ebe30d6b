// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryContext;
import dev.retryon.spring.Retries;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.declaration.RetryPointcut;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.HandoverBackend.DeferredInvocation;
import dev.retryon.spring.module.Setting;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The methods that recover a retried method, or that run before its retries, and how to call them. Immutable. */
final class RecoveryMethods {

    enum Role {
        RECOVERY,

        BEFORE_RETRY;

        Setting<String> setting() {
            return this == RECOVERY ? Setting.RECOVER : Setting.BEFORE_RETRY;
        }
    }

    /** The nearest ones first. */
    private final List<RecoveryForm> candidates;

    private final BeanFactory beanFactory;

    /** The bean that has the methods; {@code null} for the called bean. */
    private final @Nullable String beanName;

    private final Method retried;

    private RecoveryMethods(
            Method retried, List<RecoveryForm> candidates, BeanFactory beanFactory, @Nullable String beanName) {
        this.retried = retried;
        this.candidates = candidates;
        this.beanFactory = beanFactory;
        this.beanName = beanName;
    }

    /** Returns the methods that settings name. */
    static Map<Role, String> names(EffectiveSettings settings) {
        Map<Role, String> names = new EnumMap<>(Role.class);
        for (Role role : Role.values()) {
            String name = settings.get(role.setting());
            if (name != null) {
                names.put(role, name);
            }
        }
        return names;
    }

    /**
     * Finds the methods.
     *
     * @param reference {@code method} or {@code bean#method}
     * @throws IllegalArgumentException with a sentence that describes the fault
     */
    static RecoveryMethods find(
            Role role,
            String reference,
            Class<?> beanClass,
            Method retried,
            ConfigurableListableBeanFactory beanFactory) {
        requireForm(reference);
        int separator = reference.indexOf('#');
        String beanName = separator < 0 ? null : reference.substring(0, separator);
        String methodName = reference.substring(separator + 1);
        Class<?> owner = beanName == null ? beanClass : typeOf(beanName, beanFactory);
        List<RecoveryForm> fitting = new ArrayList<>();
        List<String> misfits = new ArrayList<>();
        for (Method method : RetryDeclarations.methodsOf(
                owner, other -> other.getName().equals(methodName) && !other.equals(retried))) {
            RecoveryForm form = RecoveryForm.of(method, retried);
            String misfit = form.misfit(role, beanClass, owner);
            if (misfit == null) {
                fitting.add(form);
            } else {
                misfits.add(RecoveryForm.describe(method) + " " + misfit);
            }
        }
        if (fitting.isEmpty()) {
            throw new IllegalArgumentException(
                    misfits.isEmpty()
                            ? missing(role, methodName, retried, beanName == null ? "the bean" : owner.getName())
                            : String.join("; ", misfits) + ". " + RecoveryForm.rule(role, methodName, retried));
        }
        fitting.sort(RecoveryForm.NEAREST_FIRST);
        return new RecoveryMethods(retried, fitting, beanFactory, beanName);
    }

    private static String missing(Role role, String methodName, Method retried, String where) {
        boolean isNew = role == Role.BEFORE_RETRY && !methodName.isEmpty();
        return "method '" + methodName + "' does not exist in " + where
                + (methodName.equals(retried.getName()) ? ", except for the retried method itself" : "")
                + (isNew ? "; add it, for example " + RecoveryForm.example(methodName) : "");
    }

    /** @throws IllegalArgumentException with a sentence that describes the fault in the form of a reference */
    static void requireForm(String reference) {
        int separator = reference.indexOf('#');
        String written = reference.startsWith("@") || separator == 0 ? reference.substring(1) : reference;
        int dot = written.lastIndexOf('.');
        if (separator < 0 && dot > 0 && dot < written.length() - 1) {
            throw new IllegalArgumentException("a method of another bean must be written as '"
                    + written.substring(0, dot) + "#" + written.substring(dot + 1) + "'");
        }
        if (written.length() < reference.length()) {
            throw new IllegalArgumentException(
                    separator <= 0
                            ? "a method of the same bean must be written as '" + written
                                    + "', and a method of another bean as 'bean#method'"
                            : "a method of another bean must be written as '" + written + "'");
        }
    }

    private static Class<?> typeOf(String beanName, ConfigurableListableBeanFactory beanFactory) {
        // The class behind the proxy, because a JDK proxy has only the methods of the interfaces.
        Class<?> type =
                beanFactory.containsBean(beanName) ? AutoProxyUtils.determineTargetClass(beanFactory, beanName) : null;
        if (type == null) {
            throw new IllegalArgumentException("no bean is named '" + beanName + "'");
        }
        return ClassUtils.getUserClass(type);
    }

    @Nullable Object recover(MethodInvocation invocation, Throwable thrown, RetryContext context) throws Throwable {
        // First by the error inside wrappers, which was the reason for the retries, then by the wrapper itself.
        for (Throwable error : List.of(Objects.requireNonNull(context.lastError()), thrown)) {
            RecoveryForm nearest = taking(error);
            if (nearest != null) {
                return call(nearest, invocation, error, context);
            }
        }
        RecoveryForm any = taking(null);
        if (any != null) {
            return call(any, invocation, thrown, context);
        }
        throw thrown;
    }

    void run(MethodInvocation invocation, RetryContext context) throws Throwable {
        Throwable error = context.lastError();
        RecoveryForm nearest = taking(error);
        RecoveryForm called = nearest != null ? nearest : taking(null);
        if (called != null) {
            call(called, invocation, error, context, false);
        }
    }

    /** Returns the nearest method with a parameter for an error or, for {@code null}, a method without an error parameter. */
    private @Nullable RecoveryForm taking(@Nullable Throwable error) {
        for (RecoveryForm candidate : candidates) {
            if (candidate.takesError() ? candidate.errorType().isInstance(error) : error == null) {
                return candidate;
            }
        }
        return null;
    }

    private @Nullable Object call(
            RecoveryForm candidate, MethodInvocation invocation, Throwable error, RetryContext context)
            throws Throwable {
        Object result = call(candidate, invocation, error, context, true);
        Class<?> returned = retried.getReturnType();
        if (result == null && returned.isPrimitive() && returned != void.class) {
            throw new IllegalStateException("The recovery method " + RecoveryForm.describe(candidate.method())
                    + " returned null, but " + RecoveryForm.describe(retried) + " returns " + returned.getSimpleName());
        }
        return invocation instanceof DeferredInvocation deferred ? deferred.recovered(result) : result;
    }

    /** @param once whether the method is not retried, although the proxy of its bean would */
    private @Nullable Object call(
            RecoveryForm form,
            MethodInvocation invocation,
            @Nullable Throwable error,
            RetryContext context,
            boolean once)
            throws Throwable {
        Object bean = beanName == null ? invocation.getThis() : beanFactory.getBean(beanName);
        @Nullable Object[] arguments = form.arguments(invocation.getArguments(), error, context);
        Object receiver = bean;
        Method callable = form.method();
        if (bean != null && AopUtils.isAopProxy(bean)) {
            try {
                callable = AopUtils.selectInvocableMethod(callable, bean.getClass());
            } catch (IllegalStateException ex) {
                // The method is private, or on none of the interfaces, so no advice applies to it.
                receiver = target(bean);
            }
        }
        ReflectionUtils.makeAccessible(callable);
        if (KotlinDetector.isSuspendingFunction(callable)) {
            return SuspendRecovery.call(callable, receiver, arguments, invocation);
        }
        try {
            return once && receiver == bean && isRetried(form.method(), bean)
                    ? callOnce(callable, receiver, arguments)
                    : callable.invoke(receiver, arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }

    private static @Nullable Object target(@Nullable Object bean) throws Exception {
        return bean instanceof Advised proxy && AopUtils.isAopProxy(bean)
                ? target(proxy.getTargetSource().getTarget())
                : bean;
    }

    /** Calls a method without retrying it, even if the proxy of its bean would retry it. */
    private static @Nullable Object callOnce(Method callable, @Nullable Object receiver, @Nullable Object[] arguments)
            throws Exception {
        return Retries.with(settings -> settings.retryable(false)).call(() -> callable.invoke(receiver, arguments));
    }

    private static boolean isRetried(Method method, @Nullable Object bean) {
        if (!(bean instanceof Advised advised)) {
            return false;
        }
        Class<?> target = AopUtils.getTargetClass(bean);
        return Arrays.stream(advised.getAdvisors())
                .anyMatch(advisor -> advisor instanceof PointcutAdvisor pointcut
                        && pointcut.getPointcut() instanceof RetryPointcut retries
                        && retries.matches(method, target));
    }
}

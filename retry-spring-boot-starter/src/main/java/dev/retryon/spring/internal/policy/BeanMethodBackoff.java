// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.CallSubject;
import dev.retryon.RetryContext;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.expression.DecisionScope;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ReflectionUtils;

/** A backoff that is a method of the bean that is called: {@code Duration name(int, Duration[, Duration])}. */
final class BeanMethodBackoff implements BackoffStrategy {

    static final String SIGNATURE = "takes (int retry, Duration base) or (int retry, Duration base, Duration previous)"
            + " and returns a Duration";

    private final Method method;

    private BeanMethodBackoff(Method method) {
        this.method = method;
    }

    static @Nullable BeanMethodBackoff find(String name, Class<?> beanClass) {
        Method method = ReflectionUtils.findMethod(beanClass, name, int.class, Duration.class, Duration.class);
        if (method == null) {
            method = ReflectionUtils.findMethod(beanClass, name, int.class, Duration.class);
        }
        if (method == null || method.getReturnType() != Duration.class) {
            return null;
        }
        ReflectionUtils.makeAccessible(method);
        return new BeanMethodBackoff(method);
    }

    /** The method or the bean of a name, as a strategy; {@code null} if there is neither. */
    static @Nullable BackoffStrategy strategy(
            String name, Class<?> beanClass, ConfigurableListableBeanFactory beanFactory) {
        BeanMethodBackoff ofBean = find(name, beanClass);
        if (ofBean != null) {
            return ofBean;
        }
        return beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, BackoffStrategy.class)
                ? beanFactory.getBean(name, BackoffStrategy.class)
                : null;
    }

    /** The methods of a name, as the bean declares them; empty if there are none. */
    static String declared(String name, Class<?> beanClass) {
        return RetryDeclarations.methodsOf(beanClass, method -> method.getName().equals(name)).stream()
                .map(method -> method.getReturnType().getSimpleName() + " " + RecoveryForm.describe(method))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    @Override
    public Duration delay(int retry, Duration base, @Nullable Duration previous) {
        // The policy is shared by all beans of the class; which one is called, the call itself knows.
        CallSubject subject = Objects.requireNonNull(RetryContext.current().subject());
        Object[] arguments = {retry, base, previous};
        return (Duration) Objects.requireNonNull(DecisionScope.<@Nullable Object>during(
                subject.target(),
                method.getDeclaringClass(),
                () -> ReflectionUtils.invokeMethod(
                        method, subject.target(), Arrays.copyOf(arguments, method.getParameterCount()))));
    }

    @Override
    public boolean dependsOnCall() {
        return true;
    }

    @Override
    public String toString() {
        return method.getName();
    }

    /** The names of backoffs that every bean can use. */
    static Set<String> known(ConfigurableListableBeanFactory beanFactory) {
        Set<String> known = new TreeSet<>(Backoff.names());
        known.addAll(Set.of(beanFactory.getBeanNamesForType(BackoffStrategy.class, true, false)));
        return known;
    }
}

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

/** A backoff that is a method of the called bean: {@code Duration name(int, Duration[, Duration])}. */
final class BeanMethodBackoff implements BackoffStrategy {

    private static final String SIGNATURE = "takes (int retry, Duration base) or (int retry, Duration base, Duration"
            + " previous) and returns a Duration";

    private final Method method;

    private BeanMethodBackoff(Method method) {
        this.method = method;
    }

    /** Returns the bean's method or else the bean with a name. Throws IllegalArgumentException with a clause about the fault. */
    static BackoffStrategy find(
            String name, Class<?> beanClass, boolean hasBean, ConfigurableListableBeanFactory beanFactory) {
        Method method = ReflectionUtils.findMethod(beanClass, name, int.class, Duration.class, Duration.class);
        if (method == null) {
            method = ReflectionUtils.findMethod(beanClass, name, int.class, Duration.class);
        }
        if (method != null && method.getReturnType() == Duration.class) {
            ReflectionUtils.makeAccessible(method);
            return new BeanMethodBackoff(method);
        }
        if (beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, BackoffStrategy.class)) {
            return beanFactory.getBean(name, BackoffStrategy.class);
        }
        String unfit = RetryDeclarations.methodsOf(
                        beanClass, other -> other.getName().equals(name))
                .stream()
                .map(other -> other.getReturnType().getSimpleName() + " " + RecoveryForm.describe(other))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        if (!unfit.isEmpty()) {
            throw new IllegalArgumentException(
                    beanClass.getName() + " has " + unfit + "; a backoff method " + SIGNATURE);
        }
        Set<String> known = new TreeSet<>(Backoff.names());
        known.addAll(Set.of(beanFactory.getBeanNamesForType(BackoffStrategy.class, true, false)));
        throw new IllegalArgumentException("must be one of " + String.join(", ", known)
                + (hasBean ? " or a method of the bean that " + SIGNATURE : ""));
    }

    @Override
    public Duration delay(int retry, Duration base, @Nullable Duration previous) {
        // All beans of the class share the policy, and only the call itself knows which bean is called.
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
}

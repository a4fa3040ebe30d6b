// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import java.lang.reflect.Method;
import java.util.function.BiPredicate;
import org.springframework.aop.Advisor;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches the retried methods of beans. The type identifies the retry advice among the other advice of a proxy. */
public final class RetryPointcut extends StaticMethodMatcherPointcut {

    private final BiPredicate<Method, Class<?>> methods;

    public RetryPointcut(ClassFilter classes, BiPredicate<Method, Class<?>> methods) {
        this.methods = methods;
        setClassFilter(classes);
    }

    public static void removeFrom(Object bean) {
        if (!(bean instanceof Advised proxy) || proxy.isFrozen()) {
            return;
        }
        for (Advisor advisor : proxy.getAdvisors()) {
            if (advisor instanceof PointcutAdvisor found && found.getPointcut() instanceof RetryPointcut) {
                proxy.removeAdvisor(advisor);
            }
        }
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return methods.test(method, targetClass);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.spring.internal.expression.DecisionScope;
import dev.retryon.spring.internal.settings.RetryMode;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** Identifies the methods that call RetryOn themselves because retries are woven into their code. */
public interface Weaving {

    /**
     * Returns whether the retries of a context are woven, which requires {@code retryon.mode} to be {@code aspectj}.
     */
    static boolean isOn(Environment environment) {
        return RetryMode.of(environment) == RetryMode.ASPECTJ;
    }

    /**
     * Returns whether this thread is currently computing an expression or a backoff for a call of an object. During
     * that time, calls of the object's methods are not retried, because each of them would start the same computation
     * again.
     *
     * @param called the object on which a method is called; {@code null} for a static method
     * @param declaring the class that declares the method
     */
    static boolean isDeciding(@Nullable Object called, Class<?> declaring) {
        return DecisionScope.covers(called, declaring);
    }

    /** Returns whether a method is woven, and reports a method that is not, or that an aspect cannot retry. */
    boolean isWoven(Class<?> beanClass, Method method, RetryFaults faults);

    /**
     * Records that a woven method belongs to a bean, whose class a proxy can hide. Returns why its calls cannot run as its
     * settings require; {@code null} if they can.
     */
    @Nullable String obstacleOnBean(RetriedMethod method);

    /** Runs once, after all beans that exist at start-up have been checked. */
    void complete(RetryFaults faults);

    /** An execution of a method whose code calls the advice itself. Neither a proxy nor other advice is known. */
    interface WovenCall extends MethodInvocation {

        /** Returns whether the aspect also sees an annotation of another method, and can therefore retry that method. */
        boolean isSeen(Method other);

        /** Returns why this execution cannot run as the method's settings require; {@code null} if it can. */
        @Nullable String obstacle(RetriedMethod method);
    }
}

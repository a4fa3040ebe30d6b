// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import dev.retryon.spring.internal.declaration.BeanClasses;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Moves method validation in front of the retries of a bean, so that it runs once per call. Spring adds validation to a
 * proxy as the last advice, which runs once per attempt. Validation stays there if a method of the bean lists a validation
 * exception, because in that case, an invalid return value is retried.
 *
 * <p>The settings are not known before the properties are bound. A converter of properties can need a retried bean, so
 * proxies that are created earlier are changed afterwards.
 *
 * <p>This post-processor has no order, so that it runs after Spring's ordered post-processor, which adds the validation.
 */
public final class ValidationBeforeRetries implements BeanPostProcessor, BeanFactoryInitializer<ListableBeanFactory> {

    private static final String VALIDATION_EXCEPTION = "jakarta.validation.ValidationException";

    private final ObjectProvider<RetryMethodResolver> resolver;

    private final Queue<Advised> early = new ConcurrentLinkedQueue<>();

    private volatile boolean bound;

    public ValidationBeforeRetries(ObjectProvider<RetryMethodResolver> resolver) {
        this.resolver = resolver;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            if (bound) {
                reorder(proxy);
            } else {
                early.add(proxy);
            }
        }
        return bean;
    }

    @Override
    public void initialize(ListableBeanFactory beanFactory) {
        resolver.getObject();
        bound = true;
        for (Advised proxy = early.poll(); proxy != null; proxy = early.poll()) {
            reorder(proxy);
        }
    }

    private void reorder(Advised proxy) {
        Advisor[] advisors = proxy.getAdvisors();
        int retries = -1;
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i] instanceof RetryAdvisor) {
                retries = i;
            } else if (retries >= 0 && isValidation(advisors[i])) {
                if (resolver.getObject().exceptions(AopUtils.getTargetClass(proxy)).stream()
                        .noneMatch(ValidationBeforeRetries::isOfValidation)) {
                    proxy.removeAdvisor(i);
                    proxy.addAdvisor(retries, advisors[i]);
                }
                return;
            }
        }
    }

    private static boolean isOfValidation(Class<?> exception) {
        return BeanClasses.isNamed(exception, List.of(VALIDATION_EXCEPTION));
    }

    /** Does not ask other kinds of advisors for their advice, because that could create it. */
    private static boolean isValidation(Advisor advisor) {
        return advisor instanceof DefaultPointcutAdvisor known
                && known.getAdvice() instanceof MethodValidationInterceptor;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects.internal;

import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.Weaving;
import dev.retryon.spring.module.Weaving.WovenCall;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * An application context, which is a post-processor in order to exist before all other beans. In AspectJ mode, it retries
 * woven methods until its last bean is destroyed. Otherwise, it prevents other contexts from retrying its beans' methods.
 */
public final class WovenContext implements BeanPostProcessor, PriorityOrdered, DisposableBean {

    private static final String ADVISOR = "retryOnAdvisor";

    /** The contexts of this process, the latest first. */
    private static volatile List<WovenContext> contexts = List.of();

    private final ConfigurableListableBeanFactory beanFactory;

    private final boolean retries;

    private final Map<JoinPoint.StaticPart, MethodInterceptor> advice = new ConcurrentHashMap<>();

    /** The singletons without their proxies. */
    private final Set<Object> singletons =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    private WovenContext(ConfigurableListableBeanFactory beanFactory, boolean retries) {
        this.beanFactory = beanFactory;
        this.retries = retries;
    }

    /** Begins to retry woven methods in AspectJ mode, unless RetryOn is disabled. The context stops when it is destroyed. */
    public static WovenContext start(ConfigurableListableBeanFactory beanFactory, boolean woven) {
        WovenContext started = new WovenContext(beanFactory, woven && beanFactory.containsBeanDefinition(ADVISOR));
        synchronized (WovenContext.class) {
            List<WovenContext> all = new ArrayList<>(contexts);
            all.add(0, started);
            contexts = List.copyOf(all);
        }
        return started;
    }

    @Override
    public void destroy() {
        synchronized (WovenContext.class) {
            contexts = contexts.stream().filter(context -> context != this).toList();
        }
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        // Not isSingleton(name), which creates the bean again if it is a factory bean.
        if (beanFactory.containsBeanDefinition(name)
                && beanFactory.getMergedBeanDefinition(name).isSingleton()) {
            singletons.add(bean);
        }
        return bean;
    }

    /** Adds the products of factory beans, for which no other callback exists. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        // Not while the bean itself is being created, because this would expose the bean too early.
        if (beanFactory.containsSingleton(name)
                && beanFactory.getSingleton(name) instanceof FactoryBean<?> factory
                && factory.isSingleton()) {
            singletons.add(bean);
        }
        return bean;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    /** Runs a woven method, without retries if no context is active. */
    public static @Nullable Object run(ProceedingJoinPoint execution) throws Throwable {
        List<WovenContext> all = contexts;
        Method method = ((MethodSignature) execution.getSignature()).getMethod();
        if (all.isEmpty() || method == null || Weaving.isDeciding(execution.getThis(), method.getDeclaringClass())) {
            return execution.proceed();
        }
        WovenContext context = all.size() == 1 ? all.get(0) : owner(all, execution, method);
        return context.retries
                ? context.advice(execution.getStaticPart())
                        .invoke(new Execution(context.beanFactory, execution, method))
                : execution.proceed();
    }

    /** Returns the context of the object, or else the latest one with a bean of the class, or else the latest that retries. */
    private static WovenContext owner(List<WovenContext> all, ProceedingJoinPoint execution, Method method) {
        Object target = execution.getThis();
        for (WovenContext context : all) {
            if (target != null && context.singletons.contains(target)) {
                return context;
            }
        }
        Class<?> type = target == null ? method.getDeclaringClass() : ClassUtils.getUserClass(target);
        WovenContext latest = null;
        for (WovenContext context : all) {
            for (String name : context.beanFactory.getBeanNamesForType(type, true, false)) {
                if (target != null && context.isRegistered(name, target)) {
                    return context;
                }
                latest = latest == null ? context : latest;
            }
        }
        return latest != null
                ? latest
                : all.stream().filter(context -> context.retries).findFirst().orElse(all.get(0));
    }

    private boolean isRegistered(String name, Object target) {
        return !beanFactory.containsBeanDefinition(name) && beanFactory.getSingleton(name) == target;
    }

    private MethodInterceptor advice(JoinPoint.StaticPart method) {
        MethodInterceptor known = advice.get(method);
        if (known == null) {
            // No lock is held, because the advisor might have to be created.
            MethodInterceptor created = (MethodInterceptor)
                    beanFactory.getBean(ADVISOR, Advisor.class).getAdvice();
            known = advice.putIfAbsent(method, created);
            known = known == null ? created : known;
        }
        return known;
    }

    private static final class Execution implements WovenCall {

        private final BeanFactory beanFactory;

        private final ProceedingJoinPoint execution;

        private final Method method;

        private final @Nullable Object[] arguments;

        Execution(BeanFactory beanFactory, ProceedingJoinPoint execution, Method method) {
            this.beanFactory = beanFactory;
            this.execution = execution;
            this.method = method;
            this.arguments = execution.getArgs();
        }

        @Override
        public Method getMethod() {
            return method;
        }

        @Override
        public @Nullable Object getThis() {
            return execution.getThis();
        }

        @Override
        public @Nullable Object[] getArguments() {
            return arguments;
        }

        @Override
        public AccessibleObject getStaticPart() {
            return method;
        }

        @Override
        public boolean isSeen(Method other) {
            return SeenAnnotations.on(other);
        }

        @Override
        public @Nullable String obstacle(RetriedMethod method) {
            // By name, because a search by type can create factory beans.
            return beanFactory.getBean("retryOnWeaving", WeavingCheck.class).obstacle(method);
        }

        @Override
        public @Nullable Object proceed() throws Throwable {
            return execution.proceed();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.declaration.BeanClasses;
import dev.retryon.spring.internal.declaration.Declaration;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.declaration.RetryPointcut;
import dev.retryon.spring.internal.declaration.RetrySelection;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.Weaving;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Checks every bean when the singletons have been created, and stops start-up if there is a fault. Beans that are created later
 * are checked by the types in their definitions, or when they are created if only an interface is known.
 */
public final class RetryBeanCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryMethodResolver resolver;

    private final RetrySelection selection;

    private final RetryFaults faults;

    private final LookUp<List<MethodsCheck>> checks;

    private final LookUp<List<OtherLibrary>> otherLibraries;

    private final LockedAttempts locks;

    /** {@code null} if beans have proxies. */
    private final @Nullable Weaving weaving;

    /** The classes of all beans, and the interfaces of beans whose class is unknown. */
    private final Set<Class<?>> beans = ConcurrentHashMap.newKeySet();

    public RetryBeanCheck(
            ConfigurableListableBeanFactory beanFactory,
            RetryMethodResolver resolver,
            @Nullable Weaving weaving,
            RetryFaults faults,
            ObjectProvider<MethodsCheck> checks) {
        this.weaving = weaving;
        this.beanFactory = beanFactory;
        this.checks = new LookUp<>(() -> checks.orderedStream().toList());
        this.resolver = resolver;
        this.selection = resolver.selection();
        this.faults = faults;
        this.otherLibraries = new LookUp<>(() -> OtherLibrary.in(beanFactory));
        this.locks = new LockedAttempts(faults);
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<MethodRetry> found = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>(List.of(beanFactory.getBeanDefinitionNames()));
        names.addAll(List.of(beanFactory.getSingletonNames()));
        names.forEach(name -> check(name, found));
        if (weaving != null) {
            weaving.complete(faults);
        }
        locks.complete();
        resolver.checkUnused(beans);
        checks.get().forEach(check -> check.complete(faults));
        checks.get().forEach(check -> check.check(List.copyOf(found), faults));
        faults.endStart();
        beanFactory.addBeanPostProcessor(new LaterBeans());
    }

    private void check(String name, List<MethodRetry> found) {
        Object bean = beanFactory.getSingleton(name);
        if (!beanFactory.containsBeanDefinition(name)) {
            checkRegistered(bean, name);
        } else if (!beanFactory.getBeanDefinition(name).isAbstract()) {
            if (bean == null || bean instanceof FactoryBean<?>) {
                check(definedType(name), null, name, found);
            } else {
                check(classOf(bean), bean, name, found);
            }
        }
    }

    /** Checks an object that code has registered directly. No post-processor sees such an object, so it has no proxy. */
    private void checkRegistered(@Nullable Object bean, String name) {
        if (weaving == null
                && bean != null
                && !AopUtils.isAopProxy(bean)
                && selection.declarations().hasAny(bean.getClass())
                && hasMethod(bean.getClass(), method -> selection.declarations().isRetried(bean.getClass(), method))
                && !Mocks.isMock(bean)) {
            faults.warn(
                    RetryWarning.NO_PROXY,
                    "Bean '" + name + "' of " + bean.getClass().getName() + " has retried methods but no proxy,"
                            + " because the object was registered with registerSingleton. None of its methods is"
                            + " retried. Define the bean with @Bean or registerBean");
        }
    }

    private static boolean hasMethod(Class<?> beanClass, Predicate<Method> condition) {
        return !RetryDeclarations.methodsOf(beanClass, condition).isEmpty();
    }

    /** Checks a bean created after start-up. Holds no lock, because the check can create beans that another thread has locked. */
    private void checkLate(Object bean, String name) {
        Class<?> beanClass = ClassUtils.getUserClass(classOf(bean));
        faults.check(() -> {
            List<MethodRetry> found = new ArrayList<>();
            check(beanClass, bean, name, found);
            if (!found.isEmpty()) {
                checks.get().forEach(check -> check.check(List.copyOf(found), faults));
            }
        });
    }

    /** Returns the class behind proxies. A bean that is a target source has a target, but is itself neither target nor proxy. */
    private static Class<?> classOf(Object bean) {
        return AopUtils.isAopProxy(bean) ? AopProxyUtils.ultimateTargetClass(bean) : bean.getClass();
    }

    /** Returns the type from the bean definition, without creating a bean. */
    private @Nullable Class<?> definedType(String name) {
        Object original =
                beanFactory.getMergedBeanDefinition(name).getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
        return original instanceof Class<?> type ? type : beanFactory.getType(name, false);
    }

    private void check(@Nullable Class<?> type, @Nullable Object bean, String name, List<MethodRetry> found) {
        if (type == null) {
            return;
        }
        if (BeanClasses.isNameless(type)) {
            // For a lambda, or a client that another library generated, only the interfaces are known.
            for (Class<?> implemented : type.getInterfaces()) {
                check(implemented, bean, name, found);
            }
            return;
        }
        Class<?> beanClass = ClassUtils.getUserClass(type);
        boolean isCandidate = selection.isCandidate(type);
        // Checked only where necessary, because the check starts Mockito.
        if (isCandidate
                && bean != null
                && (weaving != null || !AopUtils.isAopProxy(bean))
                && hasMethod(beanClass, method -> selection.isRetried(beanClass, method))
                && Mocks.isMock(bean)) {
            return;
        }
        beans.add(beanClass);
        if (!isCandidate) {
            return;
        }
        List<MethodRetry> ofBean = new ArrayList<>();
        List<RetryFault> ownFaults = faults.during(() -> checkCandidate(beanClass, bean, name, ofBean));
        if (!ownFaults.isEmpty() && bean != null && Mocks.isMock(bean)) {
            // A mock needs no policy, because a test might omit the beans that the policy names.
            RetryPointcut.removeFrom(bean);
            return;
        }
        ownFaults.forEach(faults::add);
        found.addAll(ofBean);
    }

    private void checkCandidate(Class<?> beanClass, @Nullable Object bean, String name, List<MethodRetry> found) {
        if (weaving == null) {
            checkInterfaces(beanClass);
        }
        List<Method> retried = new ArrayList<>();
        for (Method method : RetryDeclarations.methodsOf(
                beanClass, method -> isAnnotatedForNothing(method) || selection.isRetried(beanClass, method))) {
            if (isAnnotatedForNothing(method)) {
                reportNeverRetried(method);
            } else {
                retried.add(method);
            }
        }
        if (retried.isEmpty()) {
            checkCovered(beanClass);
            return;
        }
        // A sealed class in a bean definition can have a subclass that is not sealed.
        boolean isFinal = weaving == null
                && (bean == null ? Modifier.isFinal(beanClass.getModifiers()) : !AopUtils.isAopProxy(bean))
                && BeanClasses.isUnproxyable(beanClass, name, beanFactory);
        if (isFinal && retried.stream().noneMatch(method -> isCovered(beanClass, method))) {
            // A pointcut for many classes also selects some by accident.
            return;
        }
        if (isFinal) {
            faults.add(Place.code(beanClass.getName()), BeanClasses.explainUnproxyable(beanClass));
        } else if (weaving == null && bean != null && !AopUtils.isAopProxy(bean)) {
            faults.warn(
                    RetryWarning.NO_PROXY,
                    "Bean '" + name + "' of " + beanClass.getName() + " has retried methods but no proxy, so none of"
                            + " them is retried. It was created before proxies were available, is part of Spring's"
                            + " infrastructure, or is an object that a test supplies with @TestBean. If the bean is"
                            + " created too early, inject it lazily.");
        }
        found(beanClass, name);
        for (Method method : retried) {
            if (isFinal || isReached(beanClass, method, bean)) {
                MethodRetry resolved = resolver.resolved(beanClass, method);
                if (resolved != null) {
                    check(resolved, bean);
                    found.add(resolved);
                }
            }
        }
    }

    /** Returns whether a method is retried by an aspect or a proxy, or should be. Reports a method that neither can retry. */
    private boolean isReached(Class<?> beanClass, Method method, @Nullable Object bean) {
        if (weaving != null) {
            // If a bean does not exist yet, perhaps only an interface is known.
            return (bean != null || !Modifier.isAbstract(method.getModifiers()))
                    && weaving.isWoven(beanClass, method, faults);
        }
        String obstacle = obstacle(beanClass, method, bean);
        if (obstacle == null) {
            return true;
        }
        boolean isCovered = isCovered(beanClass, method);
        if (isCovered) {
            reportObstacle(obstacle, method);
        }
        return isCovered;
    }

    private void check(MethodRetry resolved, @Nullable Object bean) {
        Class<?> beanClass = resolved.beanClass();
        Method method = resolved.method();
        if (isCreated(bean) && !beanClass.isInterface()) {
            resolver.checkTarget(resolved);
        }
        if (resolved.isRepeated()) {
            otherLibraries.get().forEach(library -> library.check(beanClass, method, faults));
        }
        if (bean != null) {
            locks.check(bean, resolved);
        }
        String obstacle = weaving != null ? weaving.obstacleOnBean(resolved) : null;
        if (obstacle != null) {
            faults.add(onMethod(method), obstacle);
        }
    }

    private void found(Class<?> beanClass, String name) {
        if (beanClass.isAnnotationPresent(DoNotRetry.class)) {
            faults.warn(
                    RetryWarning.NOT_RETRIED,
                    "@DoNotRetry on " + beanClass.getName()
                            + " has no effect, because the class is not an exception; annotate each method that must"
                            + " not be retried");
        }
        checks.get().forEach(check -> check.found(beanClass, name));
    }

    /** Returns whether the bean is known as an object. A proxy of a scoped bean, for example, knows only the declared type. */
    private static boolean isCreated(@Nullable Object bean) {
        Object target = bean;
        while (target != null && AopUtils.isAopProxy(target)) {
            target = AopProxyUtils.getSingletonTarget(target);
        }
        return target != null;
    }

    private void checkCovered(Class<?> beanClass) {
        if (!beanClass.isInterface()
                && !selection.declarations().on(beanClass).isEmpty()
                && RetryDeclarations.methodsOf(beanClass, method -> Modifier.isPublic(method.getModifiers()))
                        .isEmpty()) {
            faults.warn(
                    RetryWarning.NOT_RETRIED,
                    "@RetryOn on " + beanClass.getName()
                            + " covers no method, because the class has no public method; make its methods public, or"
                            + " annotate each one");
        }
    }

    private void reportNeverRetried(Method method) {
        if (method.isAnnotationPresent(DoNotRetry.class)) {
            faults.warn(
                    RetryWarning.NOT_RETRIED,
                    SettingSource.name(method)
                            + " has both @RetryOn and @DoNotRetry, so it is not retried; remove one of them");
        } else {
            faults.add(
                    onMethod(method),
                    "equals, hashCode and toString are never retried; move the code that can fail to another method");
        }
    }

    /** Returns the place of the annotation on a method, which can be an annotation of a group or of the application. */
    private Place onMethod(Method method) {
        List<Declaration> written = selection.declarations().on(method);
        return written.isEmpty()
                ? Place.code("@RetryOn on " + SettingSource.name(method))
                : written.get(0).place();
    }

    private boolean isAnnotatedForNothing(Method method) {
        return (method.isAnnotationPresent(DoNotRetry.class) || ReflectionUtils.isObjectMethod(method))
                && selection.isAnnotatedItself(method);
    }

    /** Checks the methods of interfaces that no bean inherits. */
    private void checkInterfaces(Class<?> beanClass) {
        for (Class<?> type : selection.declarations().hierarchy(beanClass).types()) {
            if (!type.isInterface() || type == beanClass || !AnnotationUtils.isCandidateClass(type, RetryOn.class)) {
                continue;
            }
            for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
                String obstacle = obstacle(beanClass, method, null);
                if (obstacle != null && selection.isAnnotatedItself(method)) {
                    reportObstacle(obstacle, method);
                }
            }
        }
    }

    private void reportObstacle(String obstacle, Method method) {
        if (selection.isAnnotatedItself(method)) {
            faults.add(
                    onMethod(method),
                    "the method is " + obstacle
                            + ", so no proxy can retry it; make it overridable, or set retryon.mode=aspectj");
        } else {
            faults.warn(
                    RetryWarning.NOT_RETRIED,
                    SettingSource.name(method) + " is " + obstacle
                            + ", so no proxy can retry it although @RetryOn covers it; make it"
                            + " overridable, or annotate it with @DoNotRetry");
        }
    }

    /** Returns whether an annotation, and not only a pointcut, marks a method as retried. */
    private boolean isCovered(Class<?> beanClass, Method method) {
        return selection.declarations().isRetried(beanClass, method);
    }

    private @Nullable String obstacle(Class<?> beanClass, Method method, @Nullable Object bean) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        boolean jdkProxy = bean != null && AopUtils.isJdkDynamicProxy(bean);
        if (Modifier.isFinal(modifiers) && !jdkProxy && !beanClass.isInterface()) {
            return "final";
        }
        if (jdkProxy && !isOnInterface(method, beanClass, bean)) {
            return "not in any interface of the bean, which has a JDK proxy";
        }
        return null;
    }

    /** Returns whether the proxy has an interface with the method. The proxy can have fewer interfaces than the class. */
    private boolean isOnInterface(Method method, Class<?> beanClass, @Nullable Object proxy) {
        return beanClass.isInterface()
                || selection.declarations().hierarchy(beanClass).declarationsOf(method).stream()
                        .map(Method::getDeclaringClass)
                        .anyMatch(type -> type.isInterface() && type.isInstance(proxy));
    }

    /** Checks beans that are created after start-up, once for each class. */
    private final class LaterBeans implements BeanPostProcessor {

        private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            // A class with a fault is checked again, because its beans must fail each time they are created.
            if (!seen.contains(bean.getClass())) {
                checkLate(bean, name);
                seen.add(bean.getClass());
            }
            return bean;
        }
    }
}

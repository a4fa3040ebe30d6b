// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import dev.retryon.Retry;
import dev.retryon.spring.module.HandoverBackend;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetriedMethods;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Runs attempts of stored calls: finds the method by its key, and calls it through the proxy of its bean, so that security,
 * transactions and meters apply as they do to any other attempt. Thread-safe.
 */
public final class StoredMethods implements MethodsCheck {

    private static final String SCOPED_TARGET = "scopedTarget.";

    private static final boolean REACTIVE =
            ClassUtils.isPresent("reactor.core.publisher.Flux", StoredMethods.class.getClassLoader());

    private final ConfigurableBeanFactory beanFactory;

    private final Map<String, String> aliases;

    private final Map<String, RetriedMethod> byKey = new ConcurrentHashMap<>();

    /** The methods' keys, including former ones, by their hashes. */
    private final Map<String, String> hashed = new ConcurrentHashMap<>();

    private final Map<Class<?>, CopyOnWriteArrayList<String>> beans = new ConcurrentHashMap<>();

    public StoredMethods(ConfigurableBeanFactory beanFactory, RetriedMethods retries, Map<String, String> aliases) {
        this.beanFactory = beanFactory;
        this.aliases = Map.copyOf(aliases);
        this.aliases.keySet().forEach(key -> hashed.put(MethodHash.of(key), key));
        retries.observeMethods(method -> {
            String key = method.key();
            byKey.put(key, method);
            hashed.put(MethodHash.of(key), key);
        });
    }

    @Override
    public void found(Class<?> beanClass, String name) {
        String visible = name.startsWith(SCOPED_TARGET) ? name.substring(SCOPED_TARGET.length()) : name;
        beans.computeIfAbsent(beanClass, missing -> new CopyOnWriteArrayList<>())
                .addIfAbsent(visible);
    }

    /** Finds a method by its current key, or by its key before it was renamed; {@code null} if no known bean has the method. */
    public @Nullable RetriedMethod find(String key) {
        RetriedMethod method = byKey.get(key);
        String alias = method == null ? aliases.get(key) : null;
        return alias == null ? method : byKey.get(alias);
    }

    /** Finds a method by the {@linkplain MethodHash hash} of its key, like {@link #find}. */
    public @Nullable RetriedMethod findHashed(String hash) {
        String key = hashed.get(hash);
        return key == null ? null : find(key);
    }

    /**
     * Returns the stored calls to the selected methods that this process can run, in the form that it announces to other
     * processes: {@link #callable(String, String)} of each method with each bean.
     */
    public Set<String> callable(Predicate<RetriedMethod> some) {
        Set<String> lines = new HashSet<>();
        Stream.concat(byKey.keySet().stream(), aliases.keySet().stream()).forEach(key -> {
            RetriedMethod method = find(key);
            if (method != null && some.test(method)) {
                List<String> names = beans(method.beanClass());
                names.forEach(name -> lines.add(key + ' ' + name));
                if (names.size() == 1) {
                    lines.add(key);
                }
            }
        });
        return lines;
    }

    private List<String> beans(Class<?> beanClass) {
        List<String> names = beans.get(beanClass);
        return names == null ? List.of() : names;
    }

    /** Returns the lines of {@link #callable(Predicate)} of which a process must announce one to run a call. */
    public static Set<String> callable(String key, @Nullable String bean) {
        return bean == null ? Set.of(key) : Set.of(key, key + ' ' + bean);
    }

    /** Returns whether all selected methods have a property. The result is also {@code true} if no methods are selected. */
    public boolean all(Predicate<RetriedMethod> property, Predicate<RetriedMethod> some) {
        return byKey.values().stream().filter(some).allMatch(property);
    }

    @Override
    public void check(List<RetriedMethod> methods, RetryFaults faults) {
        // Methods are looked up in the registry, which knows them already.
    }

    /** Warns of each alias of an unknown method. */
    @Override
    public void complete(RetryFaults faults) {
        ClassLoader classLoader = beanFactory.getBeanClassLoader();
        aliases.forEach((former, key) -> {
            String type = key.split("#", 2)[0];
            // Even if a class exists, its bean can be absent from this context, as in a slice test.
            boolean isHere = byKey.keySet().stream().anyMatch(known -> known.startsWith(type + "#"))
                    || !ClassUtils.isPresent(type, classLoader);
            if (isHere && !byKey.containsKey(key)) {
                faults.warn(
                        RetryWarning.ALIAS,
                        "retryon.dead-letter.aliases[" + former + "] is '" + key
                                + "', but no retried method has this key; correct or remove it");
            }
        });
    }

    /** Returns the name of the called bean, perhaps behind a proxy; {@code null} if no bean or several beans are possible. */
    public @Nullable String beanName(Class<?> beanClass, @Nullable Object target) {
        List<String> names = beans(beanClass);
        if (names.size() == 1) {
            return names.get(0);
        }
        for (String name : names) {
            if (beanFactory.isSingleton(name)) {
                Object bean = beanFactory.getBean(name);
                if (bean == target || AopProxyUtils.getSingletonTarget(bean) == target) {
                    return name;
                }
            }
        }
        return null;
    }

    /**
     * Finds the bean with the name, or else the only bean of the class. Returns {@code null} if no such bean exists, or
     * if the bean cannot be created here and now.
     */
    public @Nullable Object bean(RetriedMethod method, @Nullable String name) {
        List<String> names = beans(method.beanClass());
        String found = name != null && names.contains(name) ? name : names.size() == 1 ? names.get(0) : null;
        try {
            return found == null ? null : beanFactory.getBean(found);
        } catch (BeansException ex) {
            return null;
        }
    }

    /**
     * Continues a stored call, on this thread even if the method has {@code @Async}. Returns when the call has ended,
     * even if the method returns before. If outer advice ends the call before it is continued, the attempt has failed.
     *
     * @param resumption turns the method's retry into one that continues the call; see {@link dev.retryon.Retry#resume}
     * @param uncalled turns the method's retry into one that continues the call after a lost attempt, as for {@link #fail}
     */
    public void call(
            RetriedMethod method,
            Object bean,
            @Nullable Object[] arguments,
            UnaryOperator<Retry> resumption,
            UnaryOperator<Retry> uncalled)
            throws Throwable {
        Throwable unreached = unreached(method, bean, arguments, resumption);
        if (unreached != null) {
            fail(method, bean, arguments, uncalled, unreached);
        }
    }

    /** Continues a stored call. Returns the error of outer advice that has ended the call before, and otherwise {@code null}. */
    private static @Nullable Throwable unreached(
            RetriedMethod method, Object bean, @Nullable Object[] arguments, UnaryOperator<Retry> resumption)
            throws Throwable {
        Callee callee = callee(withoutAsync(bean), method.method());
        Method invocable = callee.method();
        ReflectionUtils.makeAccessible(invocable);
        HandoverBackend.Resumption scope = HandoverBackend.resume(method, resumption);
        try {
            // A suspend function is called directly, because it would not start inside another coroutine.
            Object result = invocable.invoke(callee.object(), all(invocable, arguments));
            // The call has ended, unless outer advice waits for a subscriber.
            throwError(scope.isPending() ? later(result) : result);
            return scope.isPending()
                    ? new IllegalStateException("a stored call of " + method.key() + " did not reach RetryOn, because"
                            + " outer advice returned without running the call, or passed it to another thread")
                    : null;
        } catch (InvocationTargetException ex) {
            if (scope.isPending()) {
                return ex.getTargetException();
            }
            throw ex.getTargetException();
        } finally {
            scope.close();
        }
    }

    /** Throws the error of a completed result, as a method that returns nothing would throw it. */
    private static void throwError(@Nullable Object result) throws InvocationTargetException {
        if (result instanceof CompletableFuture<?> future && future.isCompletedExceptionally()) {
            throw new InvocationTargetException(
                    future.handle((value, error) -> error).join());
        }
    }

    /** Returns the future of a result, and subscribes to a publisher. Returns {@code null} for results that do not come later. */
    static @Nullable Future<?> later(@Nullable Object result) {
        if (result instanceof CompletionStage<?> stage) {
            return stage.toCompletableFuture();
        }
        if (result instanceof Future<?> future) {
            return future;
        }
        return REACTIVE ? SuspendCall.subscribe(result) : null;
    }

    private static @Nullable Object[] all(Method method, @Nullable Object[] arguments) {
        return KotlinDetector.isSuspendingFunction(method) ? SuspendCall.withContinuation(arguments) : arguments;
    }

    /** Continues a stored call whose attempt was lost, without another one. Throws the error if the call is not retried. */
    public void fail(
            RetriedMethod method,
            Object bean,
            @Nullable Object[] arguments,
            UnaryOperator<Retry> resumption,
            Throwable error)
            throws Throwable {
        Object target = AopProxyUtils.getSingletonTarget(bean);
        MethodInvocation invocation =
                new UnmadeInvocation(method.method(), target != null ? target : bean, all(method.method(), arguments));
        resumption.apply(method.retry()).call(invocation, (call, attempt) -> {
            throw error;
        });
    }

    /**
     * Returns the bean, or a proxy of its target without the advice of {@code @Async}. A stored call already has its own
     * thread, and the worker needs the outcome.
     */
    private static Object withoutAsync(Object bean) {
        if (!(bean instanceof Advised advised) || !isAsync(advised)) {
            return bean;
        }
        ProxyFactory factory = new ProxyFactory();
        factory.setTargetSource(advised.getTargetSource());
        factory.setInterfaces(advised.getProxiedInterfaces());
        factory.setProxyTargetClass(advised.isProxyTargetClass());
        factory.setExposeProxy(advised.isExposeProxy());
        for (Advisor advisor : advised.getAdvisors()) {
            if (!isAsync(advisor)) {
                factory.addAdvisor(advisor);
            }
        }
        return factory.getProxy(bean.getClass().getClassLoader());
    }

    private record Callee(Object object, Method method) {}

    /**
     * Returns the bean, or its target if the bean is a JDK proxy without the method. In the second case, AspectJ has woven the
     * retries into the target, and the original caller called the target too.
     */
    private static Callee callee(Object bean, Method method) {
        if (!AopUtils.isJdkDynamicProxy(bean)) {
            return new Callee(bean, AopUtils.selectInvocableMethod(method, bean.getClass()));
        }
        Method ofInterface = ofInterface(method, bean);
        if (ofInterface != null) {
            return new Callee(bean, ofInterface);
        }
        Object target = AopProxyUtils.getSingletonTarget(bean);
        if (target == null) {
            throw new IllegalStateException(method + " is not in any interface of its bean's proxy");
        }
        return callee(target, method);
    }

    /** Returns the method of an interface, perhaps a generic one, that a method of a proxy's target implements. */
    private static @Nullable Method ofInterface(Method method, Object proxy) {
        Class<?> target = AopProxyUtils.ultimateTargetClass(proxy);
        return Arrays.stream(proxy.getClass().getInterfaces())
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(each -> each.getName().equals(method.getName())
                        && AopUtils.getMostSpecificMethod(each, target).equals(method))
                .findFirst()
                .orElse(null);
    }

    /** Returns whether a bean has the advice of {@code @Async}. Uses a loop, because a stream took 3 % of the worker's time. */
    private static boolean isAsync(Advised advised) {
        for (Advisor advisor : advised.getAdvisors()) {
            if (isAsync(advisor)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAsync(Advisor advisor) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor;
    }
}

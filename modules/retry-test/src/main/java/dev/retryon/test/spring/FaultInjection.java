// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;
import reactor.core.publisher.Mono;

/**
 * Makes methods of beans fail in order to test the application's real policies. Define a bean of this type for each
 * type of bean that can fail. The definition can be in a test, or in an application that is started from the test class
 * path:
 *
 * <pre>{@code
 * @TestConfiguration(proxyBeanMethods = false)
 * class FlakyGateway {
 *
 *     @Bean
 *     static FaultInjection<Gateway> gatewayFaults() {
 *         return FaultInjection.in(Gateway.class).failRandomly("place", 0.3, 42, IOException::new);
 *     }
 * }
 * }</pre>
 *
 * <p>A test can inject this bean, remove its faults with {@link #clear()} and add others:
 *
 * <pre>{@code
 * gateway.fail("place", 2, IOException::new);
 * }</pre>
 *
 * <p>Faults apply inside all other advice of the bean, so they affect each attempt of a retried method. An attempt with
 * a fault does not run the method itself. If several faults of a method apply, the fault that was added first fails the
 * call. An {@code @HttpExchange} interface fails before its client runs, so {@code retry-http} does not retry these
 * faults.
 *
 * <p>A method that returns {@link CompletableFuture}, {@link CompletionStage} or {@link Future} returns a failed
 * future. A method that returns {@code Mono}, {@code Flux} or another type of Spring's {@link ReactiveAdapterRegistry}
 * returns an error signal, which requires Reactor. Every other method throws the error. All methods with the same name
 * share their faults.
 *
 * <p>A bean without a proxy gets a proxy. Calls that bypass the proxy, such as {@code this.place(order)}, do not fail.
 * Private, static and final methods, and mocks of the type, do not fail either. If no bean of the type can fail, the
 * context does not start.
 *
 * <p>Thread-safe. Concurrent calls do not fail more often than configured.
 *
 * @param <T> the type of the beans
 * @since 0.1.0
 */
public final class FaultInjection<T> implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

    private static final boolean HAS_REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", FaultInjection.class.getClassLoader());

    private final Class<T> type;

    private final List<Fault> faults = new CopyOnWriteArrayList<>();

    private volatile boolean applied;

    private @Nullable ConfigurableListableBeanFactory beans;

    private FaultInjection(Class<T> type) {
        this.type = type;
    }

    /**
     * Creates an injection without faults. To create it before other beans, declare it as a bean with a static method.
     *
     * @param type a class or interface; all beans that extend or implement it can fail
     * @param <T> the type of the beans
     * @return a new injection
     */
    public static <T> FaultInjection<T> in(Class<T> type) {
        return new FaultInjection<>(type);
    }

    /**
     * Causes the next calls of a method to fail.
     *
     * @param method the name of the method
     * @param times the number of calls to fail, 0 or more
     * @param error creates the error of each call from a message, such as {@code IOException::new}. To check the error,
     *     this method also calls the function once
     * @return this injection
     * @throws IllegalArgumentException if {@code times} is negative, if no method with this name can fail, or if the
     *     method does not declare the checked exception
     */
    public FaultInjection<T> fail(String method, int times, Function<String, ? extends Throwable> error) {
        if (times < 0) {
            throw wrong(
                    method,
                    "times is " + times + ", but must be 0 or more",
                    "fail(\"%s\", 2, IllegalStateException::new)");
        }
        AtomicInteger left = new AtomicInteger(times);
        return add(method, error, () -> left.getAndUpdate(n -> Math.max(0, n - 1)) > 0);
    }

    /**
     * Causes calls of a method to fail with a given probability. The same seed produces the same sequence of failures.
     * If calls are concurrent, their order determines which of them fail.
     *
     * @param method the name of the method
     * @param probability the probability that a call fails, from 0 (never) to 1 (always)
     * @param seed the seed of the random numbers
     * @param error creates the error of each call from a message, such as {@code IOException::new}. To check the error,
     *     this method also calls the function once
     * @return this injection
     * @throws IllegalArgumentException if {@code probability} is below 0 or above 1, if no method with this name can
     *     fail, or if the method does not declare the checked exception
     */
    public FaultInjection<T> failRandomly(
            String method, double probability, long seed, Function<String, ? extends Throwable> error) {
        if (!(probability >= 0 && probability <= 1)) {
            throw wrong(
                    method,
                    "probability is " + probability + ", but must be between 0 and 1",
                    "failRandomly(\"%s\", 0.3, 42, IllegalStateException::new)");
        }
        Random random = new Random(seed);
        return add(method, error, () -> {
            // Two draws of 32 bits each: other threads must not draw between them.
            synchronized (random) {
                return random.nextDouble() < probability;
            }
        });
    }

    /**
     * Removes all faults, including faults from the bean definition. Use this method between tests that share a
     * context.
     */
    public void clear() {
        faults.clear();
    }

    private FaultInjection<T> add(String name, Function<String, ? extends Throwable> error, BooleanSupplier isDue) {
        Fault fault = new Fault(name, error, isDue);
        Set<Method> methods = MethodIntrospector.selectMethods(type, (MethodFilter) FaultInjection::canFail);
        Set<String> names = methods.stream().map(Method::getName).collect(Collectors.toCollection(TreeSet::new));
        if (!names.contains(name)) {
            throw wrong(
                    names.stream().findFirst().orElse("place"),
                    "the method is '" + name + "', but the methods that can fail are " + String.join(", ", names)
                            + "; private, static and final methods cannot",
                    "fail(\"%s\", 2, IllegalStateException::new)");
        }
        Throwable sample = fault.error(type);
        for (Method method : methods) {
            if (method.getName().equals(name) && !canThrow(method, sample)) {
                throw cannotThrow(method, sample);
            }
        }
        faults.add(fault);
        return this;
    }

    private static boolean canFail(Method method) {
        return (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL)) == 0;
    }

    private static boolean canThrow(Method method, @Nullable Throwable error) {
        return error instanceof RuntimeException
                || error instanceof Error
                || (error != null
                        && (ReflectionUtils.declaresException(method, error.getClass())
                                || KotlinDetector.isKotlinType(method.getDeclaringClass())
                                || failed(method.getReturnType(), error) != null));
    }

    private IllegalArgumentException cannotThrow(Method method, Throwable error) {
        String checked = Arrays.stream(method.getExceptionTypes())
                .map(type -> " and " + type.getName())
                .collect(Collectors.joining());
        return wrong(
                method.getName(),
                "the error is " + ObjectUtils.nullSafeClassName(error) + ", but "
                        + method.getDeclaringClass().getSimpleName() + "." + method.getName()
                        + " can throw only unchecked exceptions" + checked,
                "fail(\"%s\", 2, IllegalStateException::new)");
    }

    private IllegalArgumentException wrong(String method, String problem, String example) {
        String place = "FaultInjection.in(" + type.getSimpleName() + ".class)";
        return new IllegalArgumentException(
                place + ": " + problem + ". For example: " + place + "." + example.formatted(method));
    }

    private @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Method method = call.getMethod();
        for (Fault fault : faults) {
            if (fault.method.equals(method.getName()) && fault.isDue.getAsBoolean()) {
                Throwable error = fault.error(type);
                Object failed = failed(method.getReturnType(), error);
                if (failed != null) {
                    return failed;
                }
                // An implementation may declare less than the type.
                throw canThrow(method, error) ? error : cannotThrow(method, error);
            }
        }
        return call.proceed();
    }

    /** Returns a failed result; {@code null} if a method that returns this type throws its errors. */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the method gets it
    private static @Nullable Object failed(Class<?> returned, Throwable error) {
        if (returned == CompletableFuture.class || returned == CompletionStage.class || returned == Future.class) {
            return CompletableFuture.failedFuture(error);
        }
        return HAS_REACTOR ? Signals.error(returned, error) : null;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        // The target of a scoped proxy is also a bean.
        if (bean instanceof ScopedObject
                || !(type.isInstance(bean) || type.isAssignableFrom(AopProxyUtils.ultimateTargetClass(bean)))) {
            return bean;
        }
        MethodInterceptor advice = this::invoke;
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            // If the target does not implement the type, other advice does, and does not proceed to the last one.
            Class<?> target = proxy.getTargetClass();
            boolean isImplemented = target != null && type.isAssignableFrom(target);
            applied = true;
            proxy.addAdvice(isImplemented ? proxy.getAdvisorCount() : 0, advice);
            return bean;
        }
        boolean isFinal = Modifier.isFinal(bean.getClass().getModifiers());
        if (isFinal && !type.isInterface()) {
            return bean; // no proxy would have its type
        }
        ProxyFactory factory = new ProxyFactory(bean);
        factory.setProxyTargetClass(!isFinal);
        factory.addAdvice(advice);
        applied = true;
        return factory.getProxy(bean.getClass().getClassLoader());
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans = (ConfigurableListableBeanFactory) beanFactory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory factory = beans;
        if (applied || factory == null) {
            return;
        }
        // Beans that are created later can still get faults.
        String[] names = factory.getBeanNamesForType(type);
        if (Arrays.stream(names).allMatch(name -> factory.containsSingleton(name) && !factory.isFactoryBean(name))) {
            throw new IllegalStateException("FaultInjection.in(" + type.getSimpleName()
                    + ".class): no bean of this type can fail. "
                    + (names.length == 0 ? "" : "Beans of the type: " + String.join(", ", names) + ". ")
                    + "Specify the type of a bean. Mocks cannot fail, so remove @MockitoBean.");
        }
    }

    private record Fault(String method, Function<String, ? extends Throwable> error, BooleanSupplier isDue) {

        Throwable error(Class<?> type) {
            return error.apply("Injected into " + type.getSimpleName() + "." + method);
        }
    }

    /** Loaded only if Reactor is on the class path. */
    private static final class Signals {

        static @Nullable Object error(Class<?> returned, Throwable error) {
            ReactiveAdapter adapter =
                    ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned);
            // Not for a subtype, which the adapter cannot create.
            return adapter != null && returned.isAssignableFrom(adapter.getReactiveType())
                    ? adapter.fromPublisher(Mono.error(error))
                    : null;
        }
    }
}

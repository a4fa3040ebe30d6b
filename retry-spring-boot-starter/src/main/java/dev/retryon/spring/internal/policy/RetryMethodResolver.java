// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.declaration.BeanClasses;
import dev.retryon.spring.internal.declaration.Declaration;
import dev.retryon.spring.internal.declaration.PointcutPolicy;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.declaration.RetrySelection;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.module.ClientRetries;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.Weaving.WovenCall;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * Finds the retried methods, gathers their layers, and follows changes of settings at run time. A change is first prepared, which
 * has no effect yet, and then applied. Thread-safe, but settings must not change between the two steps.
 */
public final class RetryMethodResolver implements ClientRetries {

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryFaults faults;

    private final RetrySelection selection;

    private final NamedRetries retries;

    private final Function<Method, @Nullable String> unfitReturnType;

    private final RetryFactory factory;

    private final RetryBudgets budgets;

    private final Map<MethodClassKey, Resolution> resolved = new ConcurrentHashMap<>();

    private volatile MethodLayers layers;

    private volatile Set<Class<?>> beans = Set.of();

    /**
     * Creates a resolver, and records the faults of properties.
     *
     * @param hasManyValues whether a method's result can be many values, so that no individual value can be checked
     * @param unfitReturnType returns why a method cannot be retried, as a sentence about its return type, or {@code null}
     */
    public RetryMethodResolver(
            RetrySelection selection,
            ConfiguredLayers configured,
            ConfigurableListableBeanFactory beanFactory,
            RetryBudgets budgets,
            RetryFaults faults,
            NamedRetries retries,
            Predicate<Method> hasManyValues,
            Function<Method, @Nullable String> unfitReturnType) {
        this.beanFactory = beanFactory;
        this.faults = faults;
        this.retries = retries;
        this.unfitReturnType = unfitReturnType;
        this.selection = selection;
        this.factory =
                new RetryFactory(beanFactory, budgets, hasManyValues, configured.maxAttemptsLimit(), retries, faults);
        this.budgets = budgets;
        this.layers = read(configured);
    }

    public ConfiguredLayers configured() {
        return layers.configured();
    }

    private MethodLayers read(ConfiguredLayers configured) {
        return new MethodLayers(configured, selection, factory.expressions(), faults, beanFactory.getBeanClassLoader());
    }

    public RetrySelection selection() {
        return selection;
    }

    /**
     * Finds the retried method that a proxy calls, or {@code null} if it is not retried.
     *
     * @param method the method, in any form
     * @param targetClass the class of the target, perhaps a proxy class
     * @throws RetryConfigurationException if a fault has been found so far, because a call before the end of start-up
     *     must fail with the fault and not with its consequences
     */
    public @Nullable MethodRetry find(Method method, Class<?> targetClass) {
        Class<?> beanClass = BeanClasses.userClass(targetClass, method);
        Resolution found = resolution(beanClass, AopUtils.getMostSpecificMethod(method, beanClass));
        faults.throwIfAny();
        if (!found.faults().isEmpty()) {
            throw new RetryConfigurationException(found.faults());
        }
        return found.method();
    }

    /**
     * Finds the retried method whose code is executed. Returns {@code null} if this execution is not retried, because an
     * overriding method, which is retried itself, has called it.
     *
     * @throws RetryConfigurationException as in {@link #find}, or if an aspect cannot retry the method or store its calls
     */
    public @Nullable MethodRetry findWoven(WovenCall call, Class<?> targetClass) {
        Method method = call.getMethod();
        Class<?> declaring = method.getDeclaringClass();
        if (ClassUtils.getUserClass(declaring) != declaring) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, BeanClasses.userClass(targetClass, method));
        if (!specific.equals(method) && call.isSeen(specific)) {
            return null;
        }
        MethodRetry found = find(method, targetClass);
        if (found != null) {
            String obstacle = call.obstacle(found);
            if (obstacle != null) {
                throw new RetryConfigurationException(List.of(new RetryFault(found.place(), obstacle)));
            }
        }
        return found;
    }

    /** Returns a method's settings, computed once, or {@code null} if it is not retried. Records faults and warnings. */
    public @Nullable MethodRetry resolved(Class<?> beanClass, Method method) {
        return resolution(beanClass, method).method();
    }

    private Resolution resolution(Class<?> beanClass, Method method) {
        MethodClassKey target = new MethodClassKey(method, beanClass);
        Resolution known = resolved.get(target);
        if (known == null) {
            // This can create beans, so a lock could cause a deadlock with the bean factory's lock.
            AtomicReference<@Nullable MethodRetry> found = new AtomicReference<>();
            List<RetryFault> wrong = faults.during(() -> found.set(resolve(beanClass, method)));
            Resolution made = new Resolution(found.get(), wrong);
            known = resolved.putIfAbsent(target, made);
            if (known == null) {
                if (made.method() != null) {
                    retries.add(made.method());
                }
                known = made;
            }
        }
        // Each thread that checks the method reports its faults, whichever thread found them.
        known.faults().forEach(faults::add);
        return known;
    }

    private record Resolution(@Nullable MethodRetry method, List<RetryFault> faults) {}

    private @Nullable MethodRetry resolve(Class<?> beanClass, Method method) {
        if (!selection.isRetried(beanClass, method)) {
            return null;
        }
        List<Declaration> declared = selection.declarations().on(beanClass, method);
        if (declared.stream().noneMatch(Declaration::isOnMethod) && isNamed(beanClass, method)) {
            return null;
        }
        String unfit = unfitReturnType.apply(method);
        if (unfit != null) {
            faults.add(MethodRetry.place(beanClass, method), unfit);
        }
        SettingSource barrier = !declared.isEmpty() && declared.get(0).inheritsNothing()
                ? declared.get(0).source()
                : null;
        MethodLayers now = layers;
        MethodRetry found = new MethodRetry(beanClass, method, now.name(declared), barrier, factory);
        build(found, now, now.of(beanClass, method, declared));
        return found;
    }

    private void build(NamedRetry retry, MethodLayers base, List<RetrySettings> own) {
        NamedRetry.Layers merged = new NamedRetry.Layers(base, own, own);
        retry.become(merged, factory.build(retry, merged));
    }

    /** Records the faults of a retry, without registering its name. */
    void check(StandaloneRetry retry) {
        factory.check(retry, retry.layersIn(layers));
    }

    @Override
    public void check(Client client) {
        check(StandaloneRetry.ofClient(client.name(), client));
    }

    @Override
    public Supplier<Retry> add(Client client) {
        StandaloneRetry added = StandaloneRetry.ofClient(retries.names().of(client.name()), client);
        add(added);
        return added::retry;
    }

    void build(StandaloneRetry retry) {
        MethodLayers now = layers;
        build(retry, now, retry.layersIn(now));
    }

    /** Builds a retry that belongs to no method, and registers it. Records its faults. */
    public void add(StandaloneRetry retry) {
        build(retry);
        retries.add(retry);
    }

    /** Settings that are ready to be applied. */
    public record Update(List<RetryFault> faults, List<Runnable> steps) {

        /**
         * Applies the settings, except for those that are wrong, and runs no application code. Running calls keep their
         * settings. Switches apply after {@link NamedRetry#obeySwitch}.
         */
        public void putInForce() {
            steps.forEach(Runnable::run);
        }
    }

    /**
     * Prepares some retries for other layers on top of the layers of properties and code.
     *
     * @param onTop returns the layers on top, the weakest first, for a retry and its other layers
     */
    public Update prepare(
            List<? extends NamedRetry> some, BiFunction<NamedRetry, List<RetrySettings>, List<RetrySettings>> onTop) {
        MethodLayers now = layers;
        List<Runnable> steps = new ArrayList<>();
        return new Update(faults.during(() -> some.forEach(retry -> steps.add(step(retry, now, onTop)))), steps);
    }

    /** Prepares all retries and budgets for changed properties, including methods that are found later. */
    public Update prepare(
            ConfiguredLayers properties, BiFunction<NamedRetry, List<RetrySettings>, List<RetrySettings>> onTop) {
        List<RetryFault> wrong = new ArrayList<>(budgets.admit(properties.budgets()));
        List<Runnable> steps = new ArrayList<>();
        wrong.addAll(faults.during(() -> {
            MethodLayers next = read(properties);
            steps.add(() -> layers = next);
            retries.all().forEach(retry -> steps.add(step(retry, next, onTop)));
            next.checkUnused(retries.methods(), beans);
        }));
        steps.add(() -> budgets.become(properties.budgets()));
        return new Update(wrong, steps);
    }

    @SuppressWarnings("ReferenceEquality") // one exists for each time that properties were read
    private Runnable step(
            NamedRetry retry,
            MethodLayers base,
            BiFunction<NamedRetry, List<RetrySettings>, List<RetrySettings>> onTop) {
        NamedRetry.Layers before = retry.layers();
        boolean known = before.base() == base;
        List<RetrySettings> own =
                known ? before.own() : RetrySettings.keeping(Setting.fixed(), retry.layersIn(base), before.own());
        List<RetrySettings> all = new ArrayList<>(own);
        all.addAll(onTop.apply(retry, own));
        boolean same = retry.has(all);
        if (same && known) {
            return () -> {};
        }
        NamedRetry.Layers next = new NamedRetry.Layers(base, own, all);
        Retry made = same ? retry.retry() : factory.build(retry, next);
        return () -> retry.become(next, made);
    }

    /** Checks the settings of a method whose class is the class of an object, and not only the declared type of a bean. */
    public void checkTarget(MethodRetry method) {
        if (resolution(method.beanClass(), method.method()).faults().isEmpty()) {
            factory.checkMethods(method);
        }
    }

    /** Returns whether another retried method names this method. Such a method is not retried unless it is annotated itself. */
    private boolean isNamed(Class<?> beanClass, Method method) {
        return !RetryDeclarations.methodsOf(
                        beanClass,
                        other -> !other.equals(method)
                                && selection.isRetried(beanClass, other)
                                && layers.isNamedBy(other, method, beanClass))
                .isEmpty();
    }

    /** Returns the exceptions that all of a bean's retried methods list or have rules for, without creating a bean. */
    public Set<Class<? extends Throwable>> exceptions(Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass);
        return RetryDeclarations.methodsOf(beanClass, method -> selection.isRetried(beanClass, method)).stream()
                .map(method -> layers.settings(beanClass, method))
                .flatMap(settings -> settings.listedTypes().stream())
                .collect(Collectors.toSet());
    }

    public void checkUnused(Set<Class<?>> classes) {
        beans = classes;
        layers.checkUnused(retries.methods(), beans);
        Set<PointcutPolicy> used = retries.methods().stream()
                .flatMap(retried -> selection.pointcuts(retried.beanClass(), retried.method()).stream())
                .collect(Collectors.toSet());
        selection.pointcuts().stream()
                .filter(pointcut -> !used.contains(pointcut))
                .forEach(pointcut -> pointcut.warnOfNoMethod(beans, faults));
    }
}

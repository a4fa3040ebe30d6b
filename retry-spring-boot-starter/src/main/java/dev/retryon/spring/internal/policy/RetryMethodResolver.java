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
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.SettingSource;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * Finds the retried methods and gathers their layers, and follows changes of settings while the application runs. A change
 * is prepared first, which changes nothing, and then put in force. Thread-safe, but settings must not change between the
 * two steps.
 */
public final class RetryMethodResolver implements ClientRetries {

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryFaults faults;

    private final RetrySelection selection;

    private final NamedRetries retries;

    private final Function<Method, @Nullable String> unfitReturnType;

    private final RetryFactory factory;

    private final RetryBudgets budgets;

    /** Woven methods of beans, also of beans whose proxies hide their classes. */
    private final Set<MethodRetry> ofBeans = ConcurrentHashMap.newKeySet();

    private final Map<MethodClassKey, Resolution> resolved = new ConcurrentHashMap<>();

    private volatile MethodLayers layers;

    /** The classes of all beans. */
    private volatile Set<Class<?>> beans = Set.of();

    /**
     * Creates a resolver, and records the faults of pointcuts and properties.
     *
     * @param unfitReturnType why calls of a method can't be retried, as a sentence about its return type; {@code null} if
     *     they can
     */
    public RetryMethodResolver(
            RetrySelection selection,
            ConfiguredLayers configured,
            ConfigurableListableBeanFactory beanFactory,
            RetryFactory factory,
            RetryBudgets budgets,
            RetryFaults faults,
            NamedRetries retries,
            Function<Method, @Nullable String> unfitReturnType) {
        this.beanFactory = beanFactory;
        this.faults = faults;
        this.retries = retries;
        this.unfitReturnType = unfitReturnType;
        this.selection = selection;
        for (PointcutPolicy pointcut : selection.pointcuts()) {
            if (pointcut.fault() != null) {
                faults.add(pointcut.fault());
            }
        }
        this.factory = factory;
        this.budgets = budgets;
        this.layers = read(configured);
    }

    /** The current properties: those of the start, or those that replaced them while the application runs. */
    public ConfiguredLayers configured() {
        return layers.configured();
    }

    /** Reads properties, and records their faults. */
    private MethodLayers read(ConfiguredLayers configured) {
        return new MethodLayers(configured, selection, factory.expressions(), faults, beanFactory.getBeanClassLoader());
    }

    public RetrySelection selection() {
        return selection;
    }

    /**
     * Finds the retried method that a proxy calls; {@code null} if it is not retried.
     *
     * @param method the method, in any form
     * @param targetClass the class of the target, perhaps that of a proxy
     * @throws RetryConfigurationException if there is a fault so far: a call before the end of start-up fails for the
     *     fault and not for its consequences
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
     * Finds a retried method by an execution of its code; {@code null} if this execution is not retried: a method that
     * overrides it calls it and is retried itself.
     *
     * @throws RetryConfigurationException as for a call through a proxy, or if an aspect can't retry the method, or can't
     *     store its calls as it should
     */
    public @Nullable MethodRetry findWoven(Method method, Class<?> targetClass) {
        Class<?> declaring = method.getDeclaringClass();
        if (ClassUtils.getUserClass(declaring) != declaring) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, BeanClasses.userClass(targetClass, method));
        if (!specific.equals(method) && selection.declarations().isSeenByAspects(specific)) {
            return null;
        }
        MethodRetry found = find(method, targetClass);
        if (found != null) {
            String obstacle = obstacleToWeaving(method);
            obstacle = obstacle == null ? obstacleToStoring(found) : obstacle;
            if (obstacle != null) {
                throw new RetryConfigurationException(List.of(new RetryFault(found.place(), obstacle)));
            }
        }
        return found;
    }

    /** Remembers that a woven method belongs to a bean, whose class a proxy may hide. */
    public void foundOnBean(MethodRetry method) {
        ofBeans.add(method);
    }

    /** Why an aspect can't retry a method; {@code null} if it can. */
    public @Nullable String obstacleToWeaving(Method method) {
        return KotlinDetector.isSuspendingFunction(method)
                ? "is a suspend function, which an aspect cannot retry; set retryon.mode=proxy, or use retry-kotlin"
                : null;
    }

    /** Why calls of a woven method can't be stored although its settings require it; {@code null} if nothing is wrong. */
    public @Nullable String obstacleToStoring(MethodRetry method) {
        if (method.settings().storing() == SettingGroup.Storing.NONE) {
            return null;
        }
        int modifiers = method.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
            return "is private or static, but a stored call runs through its bean; make it an instance method that is"
                    + " not private, or do not store its calls";
        }
        return ofBeans.contains(method) || beanFactory.getBeanNamesForType(method.beanClass(), true, false).length > 0
                ? null
                : "is called on an object that is not a bean, but a stored call needs one; make the object a bean, or"
                        + " do not store its calls";
    }

    /** The settings of a method, computed once; {@code null} if it is not retried. Records faults and warnings. */
    public @Nullable MethodRetry resolved(Class<?> beanClass, Method method) {
        return resolution(beanClass, method).method();
    }

    private Resolution resolution(Class<?> beanClass, Method method) {
        MethodClassKey target = new MethodClassKey(method, beanClass);
        Resolution known = resolved.get(target);
        if (known == null) {
            // This may make beans: a lock held meanwhile could end in a deadlock with the bean factory's.
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
        // Each thread that checks the method reports its faults, whichever of them found them.
        known.faults().forEach(faults::add);
        return known;
    }

    /** A method, or {@code null} if it is not retried, and its faults. */
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

    /** Records what is wrong with the settings of a retry that belongs to no method. */
    public void check(StandaloneRetry retry) {
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

    /** Builds a retry that belongs to no method. Records its faults. */
    void build(StandaloneRetry retry) {
        MethodLayers now = layers;
        build(retry, now, retry.layersIn(now));
    }

    /** Builds a retry that belongs to no method, and makes it known. Records its faults. */
    public void add(StandaloneRetry retry) {
        build(retry);
        retries.add(retry);
    }

    /** Settings that are ready to be put in force. */
    public record Update(List<RetryFault> faults, List<Runnable> steps) {

        /**
         * Applies the settings, without those that are wrong. Running calls keep their settings. Runs no code of the
         * application. The values of the switches apply after {@link NamedRetry#obeySwitch}.
         */
        public void putInForce() {
            steps.forEach(Runnable::run);
        }
    }

    /**
     * Prepares some retries for other layers on top of those of properties and code.
     *
     * @param onTop returns the layers to put on top, the weakest first, for a retry and its other layers
     */
    public Update prepare(
            List<? extends NamedRetry> some, BiFunction<NamedRetry, List<RetrySettings>, List<RetrySettings>> onTop) {
        MethodLayers now = layers;
        List<Runnable> steps = new ArrayList<>();
        return new Update(faults.during(() -> some.forEach(retry -> steps.add(step(retry, now, onTop)))), steps);
    }

    /** Prepares all retries and budgets for other properties, also methods that are found later. */
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

    @SuppressWarnings("ReferenceEquality") // there is one for each time that properties were read
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

    /** Checks the settings of a method whose class is that of an object, and not only the declared type of a bean. */
    public void checkTarget(MethodRetry method) {
        if (resolution(method.beanClass(), method.method()).faults().isEmpty()) {
            factory.checkMethods(method);
        }
    }

    /** Whether another retried method names this method. Such a method is not retried unless it is annotated itself. */
    private boolean isNamed(Class<?> beanClass, Method method) {
        // Without its own layers, because keys and pointcuts are used only by methods that are retried.
        return !RetryDeclarations.methodsOf(
                        beanClass,
                        other -> !other.equals(method)
                                && selection.isRetried(beanClass, other)
                                && namedBy(other, beanClass).stream().anyMatch(next -> next.mayBe(method, beanClass)))
                .isEmpty();
    }

    private List<MethodLayers.NamedMethod> namedBy(Method method, Class<?> beanClass) {
        MethodLayers now = layers;
        MethodClassKey key = new MethodClassKey(method, beanClass);
        List<MethodLayers.NamedMethod> named = now.named().get(key);
        if (named == null) {
            named = MethodLayers.NamedMethod.by(method, now.settings(beanClass, method))
                    .toList();
            now.named().put(key, named);
        }
        return named;
    }

    /** The exceptions that all retried methods of a bean list, or have rules for. Makes no bean to find them out. */
    public Set<Class<? extends Throwable>> exceptions(Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass);
        return RetryDeclarations.methodsOf(beanClass, method -> selection.isRetried(beanClass, method)).stream()
                .map(method -> layers.settings(beanClass, method))
                .flatMap(settings -> settings.listedTypes().stream())
                .collect(Collectors.toSet());
    }

    /** Checks policies, keys and pointcuts that no method uses. */
    public void checkUnused(Set<Class<?>> classes) {
        beans = classes;
        layers.checkUnused(retries.methods(), beans);
        selection.warnOfUnused(beans, faults);
    }
}

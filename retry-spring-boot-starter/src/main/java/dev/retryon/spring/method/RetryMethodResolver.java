/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.CallSubject;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.expression.DeclaredParameters;
import dev.retryon.spring.expression.RetryExpressions;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.RetryConfigurationException;
import dev.retryon.spring.settings.RetryFault;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.SettingKey;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * Finds out which methods are retried and what holds for each: gathers the layers, merges them, makes the policy.
 *
 * @since 0.1.0
 */
public final class RetryMethodResolver {

    private final ConfiguredLayers configured;

    private final RetryFaults faults;

    private final RetryDeclarations declarations;

    private final PointcutPolicies pointcuts;

    private final FinalClasses finalClasses;

    private final AnnotationReader annotations;

    private final PolicyAssembler assembler;

    private final RetriedMethods methods;

    private final @Nullable ClassLoader beanClassLoader;

    private final ReturnTypes returnTypes;

    private final boolean counting;

    private final Map<MethodClassKey, Resolution> resolved = new ConcurrentHashMap<>();

    /** By what each layer says, the objects themselves; those that any method may have. */
    private final Map<List<RetrySettings>, RetryPolicy> policies = new ConcurrentHashMap<>();

    /** Methods of which calls asked for more attempts than the limit allows. */
    private final Set<RetriedMethod> limitsTold = ConcurrentHashMap.newKeySet();

    private final Map<String, MethodKey> keys = new TreeMap<>();

    /** Keys of {@code retryon.methods} that were found to be about a retried method. */
    private final Set<String> usedKeys = ConcurrentHashMap.newKeySet();

    /**
     * Creates a resolver.
     *
     * @param configured what properties say
     * @param beanFactory where strategies and recovery beans are
     * @param expressions reads strings
     * @param engine runs the calls
     * @param faults takes what is wrong
     * @param methods takes the methods that are found
     * @param budgets the retry budgets
     * @param returnTypes knows what return types rule out
     * @param counting whether calls that succeed at once are counted
     */
    public RetryMethodResolver(
            ConfiguredLayers configured,
            ConfigurableListableBeanFactory beanFactory,
            RetryExpressions expressions,
            RetryEngine engine,
            RetryFaults faults,
            RetriedMethods methods,
            RetryBudgets budgets,
            ReturnTypes returnTypes,
            boolean counting) {
        this.configured = configured;
        this.faults = faults;
        this.methods = methods;
        this.returnTypes = returnTypes;
        this.counting = counting;
        this.declarations = new RetryDeclarations(faults);
        this.finalClasses = new FinalClasses(beanFactory);
        this.pointcuts = new PointcutPolicies(configured.pointcuts(), beanFactory, faults);
        this.annotations = new AnnotationReader(configured, expressions, faults);
        // Also of those that match nothing.
        for (ConfiguredLayers.PointcutPolicy pointcut : configured.pointcuts().values()) {
            annotations.policy(pointcut.source(), pointcut.policy());
        }
        this.assembler = new PolicyAssembler(beanFactory, expressions, engine, budgets, configured.maxAttemptsLimit());
        this.beanClassLoader = beanFactory.getBeanClassLoader();
        for (String key : configured.methods().keySet()) {
            keys.put(key, MethodKey.parse(key));
        }
    }

    /** Whether no proxy can be made of a class; {@link RetryBeanCheck} reports those that have retried methods. */
    boolean isUnproxyable(Class<?> beanClass) {
        return finalClasses.contains(beanClass);
    }

    /**
     * Whether the methods of a class may get a proxy that retries them. This is quick, because every bean is asked about.
     *
     * @param beanClass the class of a bean
     * @return {@code false} if none of its methods is retried, or if no proxy can be made
     */
    public boolean isProxyable(Class<?> beanClass) {
        return isCandidate(beanClass) && !isUnproxyable(beanClass);
    }

    RetryDeclarations declarations() {
        return declarations;
    }

    /**
     * Whether a class may have retried methods. This is quick, because every bean is asked about.
     *
     * @param beanClass the class of a bean
     * @return {@code false} if none of its methods is retried
     */
    public boolean isCandidate(Class<?> beanClass) {
        return declarations.hasAny(beanClass) || pointcuts.isCandidate(beanClass);
    }

    /**
     * Whether a proxy has to retry a method. A recovery method of the class may pass here.
     *
     * @param method the method, in any form
     * @param targetClass the class of the target, perhaps that of a proxy
     * @return {@code false} if the method is not retried
     */
    public boolean matches(Method method, Class<?> targetClass) {
        Class<?> beanClass = BeanClasses.userClass(targetClass, method);
        return mayBeRetried(beanClass, method)
                && isRetried(beanClass, AopUtils.getMostSpecificMethod(method, beanClass));
    }

    /**
     * Finds a retried method by what a proxy knows of a call.
     *
     * @param method the method, in any form
     * @param targetClass the class of the target, perhaps that of a proxy
     * @return the method, or {@code null} if it is not retried
     * @throws RetryConfigurationException if anything is known to be wrong by now: a call that is made before the start
     *     is checked fails for the fault and not for its consequences
     */
    public @Nullable RetriedMethod find(Method method, Class<?> targetClass) {
        Class<?> beanClass = BeanClasses.userClass(targetClass, method);
        Resolution found = resolution(beanClass, AopUtils.getMostSpecificMethod(method, beanClass));
        faults.throwIfAny();
        if (!found.faults().isEmpty()) {
            throw new RetryConfigurationException(found.faults());
        }
        return found.method();
    }

    /** Whether a method of a bean may be retried. Quick, for every method of a bean that is a candidate is asked about. */
    boolean mayBeRetried(Class<?> beanClass, Method method) {
        return declarations.mayBeRetried(beanClass, method) || !pointcuts.isEmpty();
    }

    /** Whether a method of a bean is retried; a recovery method of its class may pass here. */
    boolean isRetried(Class<?> beanClass, Method method) {
        return declarations.isRetried(beanClass, method)
                || (pointcuts.matches(beanClass, method) && !declarations.isOptedOut(beanClass, method));
    }

    /** Whether an annotation stands on the very method. */
    boolean isAnnotatedItself(Method method) {
        return !declarations.on(method).isEmpty();
    }

    /** What holds for a method, found out once; {@code null} if it is not retried. Records faults and warnings. */
    @Nullable RetriedMethod resolved(Class<?> beanClass, Method method) {
        return resolution(beanClass, method).method();
    }

    private Resolution resolution(Class<?> beanClass, Method method) {
        MethodClassKey target = new MethodClassKey(method, beanClass);
        Resolution known = resolved.get(target);
        if (known == null) {
            // This may make beans: a lock held meanwhile could end in a deadlock with the bean factory's.
            AtomicReference<@Nullable RetriedMethod> found = new AtomicReference<>();
            List<RetryFault> wrong = faults.during(() -> found.set(resolve(beanClass, method)));
            Resolution made = new Resolution(found.get(), wrong);
            known = resolved.putIfAbsent(target, made);
            if (known == null) {
                if (made.method() != null) {
                    publish(made.method());
                }
                known = made;
            }
        }
        // Each thread that checks the method learns what is wrong with it, whichever of them found it out.
        known.faults().forEach(faults::add);
        return known;
    }

    /** A method, or {@code null} if it is not retried, and what is wrong with it. */
    private record Resolution(@Nullable RetriedMethod method, List<RetryFault> faults) {}

    private void publish(RetriedMethod method) {
        warnAboutSharedName(method);
        methods.add(method);
    }

    private @Nullable RetriedMethod resolve(Class<?> beanClass, Method method) {
        if (!isRetried(beanClass, method)) {
            return null;
        }
        List<Declaration> declared = declarations.on(beanClass, method);
        if (isRecoveryMethod(beanClass, method)) {
            return null;
        }
        String unfit = returnTypes.fault(method);
        if (unfit != null) {
            faults.add(where(beanClass, method), unfit);
        }
        List<RetryLayer> layers = layers(beanClass, method, declared);
        String given = annotations.name(declared);
        String name = given.isEmpty() ? defaultName(beanClass, method) : given;
        return retried(name, beanClass, method, layers);
    }

    /** Methods of which every layer says the same share a policy if nothing in it is about one of them. */
    private RetriedMethod retried(String name, Class<?> beanClass, Method method, List<RetryLayer> layers) {
        List<RetrySettings> said = new ArrayList<>();
        for (RetryLayer layer : layers) {
            said.add(layer.settings());
        }
        RetryPolicy shared = policies.get(said);
        if (shared != null) {
            return new RetriedMethod(
                    beanClass, method, layers, described(beanClass, method, name, assembler.retry(name, shared)));
        }
        EffectiveSettings settings = EffectiveSettings.defaults().with(layers);
        int notedBefore = faults.noted();
        RetryBuilder retry = assembler.assemble(name, beanClass, method, settings, faults::add);
        checkRetryIf(method, settings, faults::add);
        warnAboutOddities(where(beanClass, method), settings);
        RetriedMethod made = new RetriedMethod(beanClass, method, layers, described(beanClass, method, name, retry));
        // What is wrong or odd is told of each method.
        if (faults.noted() == notedBefore && PolicyAssembler.isOfAnyMethod(settings)) {
            policies.put(said, made.policy());
        }
        return made;
    }

    private void checkRetryIf(Method method, EffectiveSettings settings, BiConsumer<String, String> onFault) {
        String retryIf = settings.get(SettingKey.RETRY_IF, String.class);
        if (retryIf != null && !retryIf.isEmpty() && returnTypes.hasManyValues(method)) {
            onFault.accept(
                    settings.place(SettingKey.RETRY_IF),
                    "retryIf is '" + retryIf + "', but method " + method.getName()
                            + " returns a stream, which has no single value to judge; return a Mono of a list, or fail"
                            + " the stream with an error that is retried");
        }
    }

    private Retry described(Class<?> beanClass, Method method, String name, RetryBuilder retry) {
        retry.subjects((MethodInvocation invocation) -> CallSubject.of(
                RetriedMethod.describe(beanClass, method),
                invocation.getThis(),
                DeclaredParameters.arguments(method, invocation.getArguments())));
        return counted(name, retry);
    }

    private Retry counted(String name, RetryBuilder retry) {
        CallCounters counters = methods.counters(name);
        retry.countWaiting(counters.waiting());
        return counting ? retry.countSuccesses(counters.successes()).build() : retry.build();
    }

    private static String defaultName(Class<?> beanClass, Method method) {
        return beanClass.getSimpleName() + "." + method.getName();
    }

    /**
     * A retried method with one more layer, for one call.
     *
     * @param method the method
     * @param settings the layer
     * @return what runs the call
     * @throws IllegalArgumentException if the settings contradict each other
     */
    public Retry override(RetriedMethod method, RetrySettings settings) {
        if (settings.isEmpty()) {
            return method.retry();
        }
        EffectiveSettings merged = method.settings().with(new RetryLayer("Retries.with", settings));
        List<String> problems = new ArrayList<>();
        RetryBuilder retry = assembler.assemble(
                method.name(),
                method.beanClass(),
                method.method(),
                merged,
                (where, problem) -> problems.add(where + ": " + problem));
        checkRetryIf(method.method(), merged, (where, problem) -> problems.add(where + ": " + problem));
        // Once for each method, not for each number that a call may ask for.
        if (isAboveLimit(merged) && limitsTold.add(method)) {
            warnAboutLimit(where(method.beanClass(), method.method()), merged);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        return described(method.beanClass(), method.method(), method.name(), retry);
    }

    private List<RetryLayer> layers(Class<?> beanClass, Method method, List<Declaration> declared) {
        List<RetryLayer> layers = new ArrayList<>();
        layers.add(configured.defaults());
        List<ConfiguredLayers.PointcutPolicy> matching = pointcuts.matching(beanClass, method);
        if (!matching.isEmpty() && !declarations.isOptedOut(beanClass, method)) {
            for (ConfiguredLayers.PointcutPolicy next : matching) {
                RetryLayer named = annotations.policy(next.source(), next.policy());
                if (named != null) {
                    layers.add(named);
                }
            }
        }
        layers.addAll(annotations.layers(declared));
        operatorLayers(beanClass, method, layers);
        return layers;
    }

    private void operatorLayers(Class<?> beanClass, Method method, List<RetryLayer> layers) {
        if (keys.isEmpty()) {
            return;
        }
        TypeHierarchy hierarchy = declarations.hierarchy(beanClass);
        List<String> rank = hierarchy.types().stream().map(Class::getName).toList();
        keys.entrySet().stream()
                .filter(entry -> rank.contains(entry.getValue().className())
                        && entry.getValue().isAbout(method))
                .sorted(Comparator.<Map.Entry<String, MethodKey>>comparingInt(
                                entry -> entry.getValue().narrowness())
                        .thenComparingInt(entry -> rank.indexOf(entry.getValue().className())))
                .forEach(entry -> {
                    usedKeys.add(entry.getKey());
                    layers.add(configured.methods().get(entry.getKey()));
                });
    }

    /** A method that only a type-level annotation covers is spared if another retried method recovers with it. */
    private boolean isRecoveryMethod(Class<?> beanClass, Method method) {
        if (declarations.isDeclared(beanClass, method)) {
            return false;
        }
        return RetryDeclarations.methodsOf(
                        beanClass,
                        other -> !other.equals(method)
                                && RecoveryMethods.fits(method, other, beanClass)
                                && isRetried(beanClass, other))
                .stream()
                .map(other -> EffectiveSettings.defaults()
                        .with(layers(beanClass, other, declarations.on(beanClass, other)))
                        .get(SettingKey.RECOVER, String.class))
                .anyMatch(method.getName()::equals);
    }

    private static String where(Class<?> beanClass, Method method) {
        return beanClass.getName() + "." + method.getName();
    }

    private void warnAboutOddities(String where, EffectiveSettings settings) {
        if (settings.get(SettingKey.EXCEPTIONS, Set.class) == null
                && settings.get(SettingKey.RETRY_IF, String.class) == null
                && settings.get(SettingKey.ATTEMPT_TIMEOUT, Duration.class) == null) {
            faults.warn(where + " is never retried, for no layer lists an exception: say @RetryOn(IOException.class), "
                    + "or set retryon.defaults.exceptions");
        }
        Integer maxAttempts = settings.get(SettingKey.MAX_ATTEMPTS, Integer.class);
        if (maxAttempts != null && maxAttempts == 0) {
            faults.warn(where + ": maxAttempts is 0 (" + settings.source(SettingKey.MAX_ATTEMPTS)
                    + "), which is taken as 1, no retry; use 1");
        }
        if (maxAttempts != null
                && maxAttempts > 1
                && settings.isSaid(SettingKey.MAX_ATTEMPTS)
                && Boolean.FALSE.equals(settings.get(SettingKey.RETRYABLE, Boolean.class))) {
            faults.warn(where + ": retryable is false (" + settings.source(SettingKey.RETRYABLE)
                    + "), so maxAttempts " + maxAttempts + " (" + settings.source(SettingKey.MAX_ATTEMPTS)
                    + ") has no effect; set maxAttempts = 1");
        }
        warnAboutLimit(where, settings);
    }

    private void warnAboutLimit(String where, EffectiveSettings settings) {
        if (isAboveLimit(settings)) {
            faults.warn(where + ": maxAttempts " + settings.get(SettingKey.MAX_ATTEMPTS, Integer.class) + " ("
                    + settings.source(SettingKey.MAX_ATTEMPTS)
                    + ") is above retryon.limits.max-attempts and is lowered to " + configured.maxAttemptsLimit());
        }
    }

    private boolean isAboveLimit(EffectiveSettings settings) {
        Integer maxAttempts = settings.get(SettingKey.MAX_ATTEMPTS, Integer.class);
        Integer limit = configured.maxAttemptsLimit();
        return maxAttempts != null && limit != null && maxAttempts > limit;
    }

    private void warnAboutSharedName(RetriedMethod method) {
        for (RetriedMethod namesake : methods.named(method.name())) {
            Class<?> other = namesake.beanClass();
            if (other != method.beanClass()
                    && !other.isAssignableFrom(method.beanClass())
                    && method.name().equals(defaultName(method.beanClass(), method.method()))) {
                faults.warn("Retried methods of " + other.getName() + " and "
                        + method.beanClass().getName() + " share the name '" + method.name()
                        + "' in meters and logs: give one of them a name, @RetryOn(name = \"…\")");
                return;
            }
        }
    }

    /**
     * Notes a fault for each key of {@code retryon.methods} that is about no retried method.
     *
     * @param beanClasses the classes of beans with retried methods
     * @param hiding the interfaces that are all that is known of beans not made yet
     */
    void checkUnusedKeys(Set<Class<?>> beanClasses, Set<Class<?>> hiding) {
        for (Map.Entry<String, MethodKey> entry : keys.entrySet()) {
            String key = entry.getKey();
            MethodKey parsed = entry.getValue();
            if (!usedKeys.contains(key)
                    && !mayBeHidden(parsed.className(), hiding)
                    && !faults.hasAnyBelow("retryon.methods." + key)) {
                faults.add(
                        "retryon.methods[" + key + "]",
                        new UnusedKey(parsed, methods, beanClassLoader).explain(beanClasses));
            }
        }
    }

    private boolean mayBeHidden(String className, Set<Class<?>> hiding) {
        if (hiding.isEmpty() || !ClassUtils.isPresent(className, beanClassLoader)) {
            return false;
        }
        Class<?> type = ClassUtils.resolveClassName(className, beanClassLoader);
        return hiding.stream().anyMatch(known -> known.isAssignableFrom(type));
    }
}

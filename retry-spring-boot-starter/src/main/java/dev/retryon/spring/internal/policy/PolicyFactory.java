// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.CallSubject;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.internal.expression.DeclaredParameters;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import dev.retryon.spring.internal.settings.StoringMode;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes policies and retries. Those for calls other than those of a bean's method are made of the built-in defaults,
 * {@code retryon.defaults} and a named policy, merged as for methods. Thread-safe.
 */
public final class PolicyFactory {

    /** Represents calls other than those of a bean's method. It has no parameters that a gate could name. */
    private static final Method CALL = call();

    private final ConfiguredLayers configured;

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryExpressions expressions;

    private final AnnotationReader reader;

    private final PolicyAssembler assembler;

    private final PolicyWarnings warnings;

    private final RetriedMethods methods;

    private final RetryFaults faults;

    public PolicyFactory(
            ConfiguredLayers configured,
            ConfigurableListableBeanFactory beanFactory,
            Supplier<RetryEngine> engine,
            RetryBudgets budgets,
            ReturnTypes returnTypes,
            RetriedMethods methods,
            RetryFaults faults) {
        this.configured = configured;
        this.beanFactory = beanFactory;
        this.expressions = new RetryExpressions(beanFactory);
        this.reader = new AnnotationReader(configured, expressions, faults);
        this.assembler = new PolicyAssembler(
                beanFactory, expressions, engine, budgets, returnTypes, configured.maxAttemptsLimit());
        this.warnings = new PolicyWarnings(faults, configured.maxAttemptsLimit());
        this.methods = methods;
        this.faults = faults;
    }

    /** Creates a registry. The supplier returns the current properties. */
    public RetryRegistry registry(Supplier<ConfiguredLayers> now) {
        return new ConfiguredRetryRegistry(now, this, methods.standalone());
    }

    private static Method call() {
        try {
            // In plain sight of the compiler of native images.
            return Callable.class.getMethod("call");
        } catch (NoSuchMethodException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Builds a retry for calls that are not those of a bean's method. */
    PolicyAssembler.Assembly assemble(String name, EffectiveSettings settings) {
        return assembler.assemble(name, Object.class, CALL, settings);
    }

    RetryExpressions expressions() {
        return expressions;
    }

    PolicyWarnings warnings() {
        return warnings;
    }

    PolicyAssembler assembler() {
        return assembler;
    }

    /**
     * Builds the retry of a method, with the policy of an earlier method if all layers are equal. Records what is
     * wrong with the settings.
     */
    Retry retry(RetriedMethod method, List<RetryLayer> layers, MethodLayers of) {
        List<RetrySettings> key = layers.stream().map(RetryLayer::settings).toList();
        RetryPolicy shared = of.policies().get(key);
        if (shared != null) {
            // Durable settings depend on the method, so they have no shared policy.
            return build(method, assembler.retry(method.name(), shared), false, RetrySettings.NONE);
        }
        EffectiveSettings settings = EffectiveSettings.defaults().with(layers);
        PolicyAssembler.Assembly assembly =
                assembler.assemble(method.name(), method.beanClass(), method.method(), settings);
        assembly.faults().forEach(faults::add);
        boolean odd = warnings.warn(method, settings, layers);
        Retry made = build(method, assembly.retry(), settings.isDurable(), RetrySettings.NONE);
        // Faults and warnings are reported for each method.
        if (!odd && assembly.faults().isEmpty() && PolicyAssembler.isForAnyMethod(settings) && isLasting(layers)) {
            of.policies().put(key, made.policy());
        }
        return made;
    }

    /** Whether no layer comes from an operator. The policies of such layers would never be released. */
    private static boolean isLasting(List<RetryLayer> layers) {
        return layers.stream().noneMatch(layer -> layer.source().isOperator());
    }

    /**
     * Builds the retry of one call of a method, with one more layer.
     *
     * @throws IllegalArgumentException if the settings contradict each other
     */
    Retry override(RetriedMethod method, RetrySettings settings) {
        EffectiveSettings merged = method.settings().with(new RetryLayer(SettingSource.CALL, settings));
        PolicyAssembler.Assembly assembly =
                assembler.assemble(method.name(), method.beanClass(), method.method(), merged);
        warnings.warnOfCall(method, merged);
        refuse(assembly.faults().stream().filter(faults::isFatal).toList());
        // Not that of the override: whether the method is durable was checked at start-up.
        boolean durable = method.isDurable();
        if (durable) {
            warnings.warnOfDurableCall(method, settings);
        }
        return build(method, assembly.retry(), durable, settings);
    }

    /** Throws IllegalArgumentException if there are faults. */
    static void refuse(List<RetryFault> faults) {
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(
                    faults.stream().map(RetryFault::toString).collect(Collectors.joining("; ")));
        }
    }

    /** @param override applies to the later attempts of a durable call too */
    private Retry build(RetriedMethod method, RetryBuilder retry, boolean durable, RetrySettings override) {
        String key = method.key().toString();
        retry.retrySwitch(method.retrySwitch()).subjects(call -> {
            MethodInvocation invocation = (MethodInvocation) call;
            return CallSubject.of(
                    key,
                    invocation.getThis(),
                    DeclaredParameters.arguments(method.method(), invocation.getArguments()));
        });
        methods.counters().count(methods.names().declare(method.name()), retry);
        if (durable) {
            retry.handOver(DurableBackend.of(beanFactory, override));
        }
        return retry.build();
    }

    /**
     * Builds a policy for HTTP requests. Wrong settings are recorded as faults and ignored.
     *
     * @param name also that of the budget, if it is not shared
     * @param where the property that names the policy
     * @param policy a policy under {@code retryon.policies}; {@code null} for the defaults alone
     */
    public RetryPolicy policy(String name, String where, @Nullable String policy) {
        EffectiveSettings settings = settings(where, policy);
        boolean fits = refuse(Setting.RECOVER, settings, "there is no bean with a recovery method");
        fits &= refuse(Setting.BEFORE_RETRY, settings, "there is no bean with a method to run");
        fits &= refuse(Setting.RETRY_IF, settings, "there is no returned value to check");
        fits &= settings.get(Setting.DURABLE) == StoringMode.OFF
                || refuse(Setting.DURABLE, settings, "there is no bean whose method can be called later");
        if (!fits) {
            return RetryPolicy.builder().build();
        }
        PolicyAssembler.Assembly assembly = assemble(name, settings);
        for (RetryFault fault : assembly.faults()) {
            faults.add(new RetryFault(
                    fault.place().isProperty() ? fault.place() : Place.property(where),
                    fault.problem(),
                    List.of(),
                    fault.related()));
        }
        warnings.warnOfClients(settings, layers(where, policy));
        return assembly.retry().build().policy();
    }

    /**
     * The settings that a policy is made of. Methods of beans, {@code retryIf} and {@code durable} in {@code
     * retryon.defaults} are for methods, and left out.
     */
    public EffectiveSettings settings(String where, @Nullable String policy) {
        List<RetryLayer> layers = layers(where, policy);
        return EffectiveSettings.defaults()
                .with(layers.get(0))
                .without(Setting.RECOVER, Setting.BEFORE_RETRY, Setting.RETRY_IF, Setting.BUDGET_KEY, Setting.DURABLE)
                .with(layers.subList(1, layers.size()));
    }

    /** The defaults and, if there is one, the named policy. */
    private List<RetryLayer> layers(String where, @Nullable String policy) {
        List<RetryLayer> layers = new ArrayList<>(List.of(configured.defaults()));
        if (policy != null) {
            layers.addAll(reader.policy(Place.property(where), policy));
        }
        return layers;
    }

    private boolean refuse(Setting<?> setting, EffectiveSettings settings, String reason) {
        EffectiveSettings.Value<?> value = settings.value(setting);
        if (value == null) {
            return true;
        }
        faults.add(
                settings.place(setting),
                "is '" + value.print() + "', but " + reason
                        + " in HTTP requests; use a separate policy for them, retryon.http.policy");
        return false;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.backoff.Backoff;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.expression.RetryGate;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.HandoverBackend;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.RetriedMethods;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.SettingSource;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Builds retries of methods, HTTP clients and the registry from layers of settings. Thread-safe. */
final class RetryFactory {

    /** Represents calls that are not calls to a bean's method. It has no parameters that a gate could name. */
    private static final Method CALL = call();

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryExpressions expressions;

    private final Supplier<RetryEngine> engine;

    private final RetryBudgets budgets;

    private final Predicate<Method> hasManyValues;

    private final @Nullable Integer maxAttemptsLimit;

    private final PolicyWarnings warnings;

    private final NamedRetries retries;

    private final RetryFaults faults;

    RetryFactory(
            ConfigurableListableBeanFactory beanFactory,
            RetryBudgets budgets,
            Predicate<Method> hasManyValues,
            @Nullable Integer maxAttemptsLimit,
            NamedRetries retries,
            RetryFaults faults) {
        this.beanFactory = beanFactory;
        this.expressions = new RetryExpressions(beanFactory);
        this.engine = new LookUp<>(() -> RetriedMethods.engineOf(beanFactory));
        this.budgets = budgets;
        this.hasManyValues = hasManyValues;
        this.maxAttemptsLimit = maxAttemptsLimit;
        this.warnings = new PolicyWarnings(faults, maxAttemptsLimit);
        this.retries = retries;
        this.faults = faults;
    }

    private static Method call() {
        try {
            // Written so that the native-image compiler detects the call.
            return Callable.class.getMethod("call");
        } catch (NoSuchMethodException ex) {
            throw new IllegalStateException(ex);
        }
    }

    RetryExpressions expressions() {
        return expressions;
    }

    /** Builds a retry, and records faults. */
    Retry build(NamedRetry retry, NamedRetry.Layers layers) {
        EffectiveSettings settings = layers.settings();
        RetryBuilder builder = checked(retry, settings, layers.all());
        boolean handsOver = retry instanceof MethodRetry && settings.isHandedOver();
        return build(retry, builder, handsOver, RetrySettings.NONE);
    }

    void check(StandaloneRetry retry, List<RetrySettings> layers) {
        checked(retry, EffectiveSettings.defaults().with(layers), layers);
    }

    private RetryBuilder checked(NamedRetry retry, EffectiveSettings settings, List<RetrySettings> layers) {
        Assembly assembly = new Assembly(retry, settings);
        RetryBuilder builder = assembly.build();
        assembly.wrong.forEach(faults::add);
        warnings.warn(retry, settings, layers);
        return builder;
    }

    /** Builds the retry for one call. Throws IllegalArgumentException if the settings contradict each other. */
    Retry override(MethodRetry method, RetrySettings settings) {
        EffectiveSettings merged = method.settings().with(settings.from(SettingSource.CALL));
        Assembly assembly = new Assembly(method, merged);
        RetryBuilder builder = assembly.build();
        warnings.warnOfLimit(method, merged);
        refuse(assembly.wrong.stream().filter(faults::isFatal).toList());
        boolean handsOver = method.isHandedOver();
        if (handsOver) {
            warnings.warnOfStoredCall(method, settings);
        }
        return build(method, builder, handsOver, settings);
    }

    /** Records a method's expressions that call missing methods of the object. */
    void checkMethods(MethodRetry method) {
        Assembly assembly = new Assembly(method, method.settings());
        assembly.checkMethods();
        assembly.wrong.forEach(faults::add);
    }

    static void refuse(List<RetryFault> faults) {
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(
                    faults.stream().map(RetryFault::toString).collect(Collectors.joining("; ")));
        }
    }

    /** @param override the settings for one call, which also apply to later attempts of a call that is handed over */
    private Retry build(NamedRetry retry, RetryBuilder builder, boolean handsOver, RetrySettings override) {
        if (retry instanceof MethodRetry) {
            retries.names().declare(retry.name());
        }
        retries.count(retry.name(), builder.retrySwitch(retry.retrySwitch()));
        if (handsOver) {
            builder.handOver(HandoverBackend.of(beanFactory, override));
        }
        return builder.build();
    }

    /** Builds the policy of a retry from merged settings, and finds the methods that these settings name. Omits wrong settings. */
    private final class Assembly {

        private final NamedRetry retry;

        private final Class<?> beanClass;

        private final Method method;

        private final boolean hasBean;

        /** The programmatically built policy, some of whose values operators can change; {@code null} if only settings exist. */
        private final @Nullable RetryPolicy code;

        private final EffectiveSettings settings;

        private final List<RetryFault> wrong = new ArrayList<>();

        Assembly(NamedRetry retry, EffectiveSettings settings) {
            this.retry = retry;
            this.settings = settings;
            if (retry instanceof MethodRetry retried) {
                this.beanClass = retried.beanClass();
                this.method = retried.method();
                this.hasBean = true;
                this.code = null;
            } else {
                this.beanClass = Object.class;
                this.method = CALL;
                this.hasBean = false;
                this.code = ((StandaloneRetry) retry).code();
            }
        }

        RetryBuilder build() {
            if (!hasBean) {
                misfits();
            }
            RetryPolicyBuilder policy = code == null ? RetryPolicy.builder() : code.toBuilder();
            apply(settings, policy);
            if (code == null) {
                settings.excludedBreakers().forEach(policy::excludes);
                rules(policy);
            }
            groups(policy);
            budget(policy);
            boolean timed = gates(policy);
            RetryBuilder made = retry.builder(policy.build(), engine.get()).timed(timed);
            if (hasBean) {
                namedMethods(made);
            }
            return made;
        }

        private void misfits() {
            for (Setting<?> setting : settings.values().keySet()) {
                String reason = misfit(setting);
                if (reason != null) {
                    fault(setting, ", but " + reason);
                }
            }
        }

        private @Nullable String misfit(Setting<?> setting) {
            return retry instanceof StandaloneRetry standalone
                    ? standalone.misfit(setting, settings.get(setting))
                    : null;
        }

        void checkMethods() {
            Set<Setting<String>> effective = new TreeSet<>(Setting.expressions());
            if (settings.get(Setting.BUDGET) == null) {
                effective.remove(Setting.BUDGET_KEY);
            }
            if (!settings.isHandedOver()) {
                SettingGroup.all().forEach(group -> effective.removeAll(group.keys()));
            }
            for (Setting<String> setting : effective) {
                expression(setting, text -> {}, text -> {
                    expressions.checkMethods(text, beanClass);
                    return text;
                });
            }
        }

        private void fault(Setting<?> setting, String problem) {
            wrong.add(new RetryFault(settings.place(setting), sentence(settings, setting, problem)));
        }

        /** Records a fault that other methods with the same value need not have. Names the method, unless the place does. */
        private void faultOfMethod(EffectiveSettings from, Setting<?> setting, String problem) {
            Place place = from.place(setting);
            boolean isNamed = !hasBean || place.text().endsWith(" on " + SettingSource.name(method));
            List<String> methods = isNamed
                    ? List.of()
                    : List.of(MethodKey.of(beanClass, method).toShortString());
            wrong.add(new RetryFault(place, sentence(from, setting, problem), methods));
        }

        private static String sentence(EffectiveSettings from, Setting<?> setting, String problem) {
            return setting.attribute() + " is '" + Setting.print(from.require(setting)) + "'" + problem;
        }

        /** Returns the settings that contradict others and are therefore not set in the policy. */
        private Set<Setting<?>> contradiction(EffectiveSettings from, RetryPolicyBuilder into) {
            if (!from.hasMaxDelayBelowDelay()) {
                return Set.of();
            }
            if (from.sources(Setting.DELAY).get(0).kind() == SettingSource.Kind.BUILT_IN_POLICY) {
                // Like the default delay, which a lower maxDelay reduces.
                return Set.of(Setting.DELAY);
            }
            // An operator's value applies to both settings if the other one is set programmatically.
            if (isInCode(from, Setting.DELAY)) {
                into.delay(from.require(Setting.MAX_DELAY));
                return Set.of();
            }
            if (isInCode(from, Setting.MAX_DELAY)) {
                into.maxDelay(from.require(Setting.DELAY));
                return Set.of();
            }
            Place place = from.place(Setting.MAX_DELAY);
            boolean inProperties =
                    place.isProperty() && from.place(Setting.DELAY).isProperty();
            // In properties, this is one fault, however many methods are affected.
            wrong.add(from.maxDelayBelowDelay(inProperties ? place : retry.place()));
            return Set.of(Setting.DELAY, Setting.MAX_DELAY);
        }

        private void groups(RetryPolicyBuilder policy) {
            for (SettingGroup group : SettingGroup.all()) {
                group.applyTo(policy, settings);
                group.check(settings, engine.get(), this::fault);
                group.keys().forEach(key -> key(key, settings.isHandedOver()));
            }
        }

        private void budget(RetryPolicyBuilder policy) {
            String budget = settings.get(Setting.BUDGET);
            RetryGate divisor = key(Setting.BUDGET_KEY, budget != null);
            if (budget == null) {
                return;
            }
            boolean own = settings.sources(Setting.BUDGET).contains(SettingSource.DEFAULTS);
            try {
                RetryBudget found = own ? budgets.own(budget, budgetOwner()) : budgets.shared(budget);
                if (divisor == null) {
                    policy.budget(found);
                } else {
                    policy.budget(found, divisor.asKey());
                }
            } catch (IllegalArgumentException ex) {
                fault(Setting.BUDGET, ", but " + ex.getMessage());
            }
        }

        private String budgetOwner() {
            return retry instanceof StandaloneRetry standalone ? standalone.budgetOwner() : retry.name();
        }

        /** Parses a key. If the key has no effect here, only its syntax is checked, because other methods might use it. */
        private @Nullable RetryGate key(Setting<String> setting, boolean hasEffect) {
            if (!hasEffect) {
                expression(setting, expressions::requireParsable, expressions::requireParsable);
                return null;
            }
            return expression(
                    setting,
                    expressions::checkForm,
                    text -> expressions.key(text, beanClass, method, settings.isShared(setting)));
        }

        private void rules(RetryPolicyBuilder policy) {
            settings.rules().forEach((error, rule) -> {
                Class<? extends Throwable> type = error.type();
                if (type != null) {
                    policy.onError(type, into -> apply(rule, into));
                } else {
                    policy.onErrorCode(error.toString(), into -> apply(rule, into));
                }
            });
        }

        private void apply(EffectiveSettings from, RetryPolicyBuilder into) {
            Set<Setting<?>> except = contradiction(from, into);
            if (code != null) {
                except = new HashSet<>(except);
                for (Setting<?> setting : from.values().keySet()) {
                    if (isInCode(from, setting)) {
                        except.add(setting);
                    }
                }
            }
            from.applyTo(into, except);
            Integer maxAttempts = from.get(Setting.MAX_ATTEMPTS);
            if (maxAttempts != null && maxAttemptsLimit != null && !except.contains(Setting.MAX_ATTEMPTS)) {
                into.maxAttempts(Math.min(maxAttempts, maxAttemptsLimit));
            }
            if (from.get(Setting.BACKOFF) != null && !except.contains(Setting.BACKOFF)) {
                backoff(from, into);
            }
        }

        private static boolean isInCode(EffectiveSettings from, Setting<?> setting) {
            return from.sources(setting).contains(SettingSource.CODE);
        }

        private void backoff(EffectiveSettings from, RetryPolicyBuilder into) {
            String backoff = from.require(Setting.BACKOFF);
            if (Backoff.names().contains(backoff)) {
                into.backoff(backoff);
                return;
            }
            try {
                into.backoff(BeanMethodBackoff.find(backoff, beanClass, hasBean, beanFactory));
            } catch (IllegalArgumentException ex) {
                faultOfMethod(from, Setting.BACKOFF, ", but " + ex.getMessage());
            }
        }

        /** Sets the gates; returns whether one of them asks for the elapsed time. */
        private boolean gates(RetryPolicyBuilder policy) {
            boolean onlyIf = gate(Setting.ONLY_IF, policy::onlyIf);
            boolean unless = gate(Setting.UNLESS, policy::unless);
            boolean retryIf = misfit(Setting.RETRY_IF) == null
                    && gate(Setting.RETRY_IF, gate -> policy.retryIf(gate.overResults()));
            String text = settings.get(Setting.RETRY_IF);
            if (text != null && !text.isEmpty() && hasBean && hasManyValues.test(method)) {
                faultOfMethod(
                        settings,
                        Setting.RETRY_IF,
                        ", but the method returns a stream, which has no final value to check; return a Mono of a list, or"
                                + " fail the stream with an error that is retried");
            }
            return onlyIf || unless || retryIf;
        }

        private boolean gate(Setting<String> setting, Consumer<RetryGate> into) {
            RetryGate gate = expression(
                    setting,
                    expressions::checkForm,
                    text -> expressions.gate(
                            text, beanClass, method, setting.equals(Setting.RETRY_IF), settings.isShared(setting)));
            if (gate == null) {
                return false;
            }
            into.accept(gate);
            return gate.isTimed();
        }

        private <T> @Nullable T expression(
                Setting<String> setting, Consumer<String> checkForm, Function<String, T> parser) {
            String text = settings.get(setting);
            if (text == null || text.isEmpty()) {
                return null;
            }
            if (settings.place(setting).isProperty()) {
                try {
                    checkForm.accept(text);
                } catch (IllegalArgumentException ex) {
                    fault(setting, ", but " + ex.getMessage());
                    return null;
                }
            }
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException ex) {
                faultOfMethod(settings, setting, ", but " + ex.getMessage());
                return null;
            }
        }

        @SuppressWarnings("NullAway") // a recovery can return null
        private void namedMethods(RetryBuilder retry) {
            RecoveryMethods recovery = named(RecoveryMethods.Role.RECOVERY);
            if (recovery != null) {
                retry.uncheckedRecovery(
                        (call, error, context) -> recovery.recover((MethodInvocation) call, error, context));
            }
            RecoveryMethods beforeRetry = named(RecoveryMethods.Role.BEFORE_RETRY);
            if (beforeRetry != null) {
                retry.beforeRetry((call, context) -> beforeRetry.run((MethodInvocation) call, context));
            }
        }

        private @Nullable RecoveryMethods named(RecoveryMethods.Role role) {
            String reference = settings.get(role.setting());
            if (reference == null) {
                return null;
            }
            try {
                return RecoveryMethods.find(role, reference, beanClass, method, beanFactory);
            } catch (IllegalArgumentException ex) {
                faultOfMethod(settings, role.setting(), ", but " + ex.getMessage());
                return null;
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.ExhaustionAction;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.expression.RetryGate;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Builds a policy and a retry from merged settings. Thread-safe. */
final class PolicyAssembler {

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryExpressions expressions;

    private final Supplier<RetryEngine> engine;

    private final RetryBudgets budgets;

    private final ReturnTypes returnTypes;

    private final @Nullable Integer maxAttemptsLimit;

    PolicyAssembler(
            ConfigurableListableBeanFactory beanFactory,
            RetryExpressions expressions,
            Supplier<RetryEngine> engine,
            RetryBudgets budgets,
            ReturnTypes returnTypes,
            @Nullable Integer maxAttemptsLimit) {
        this.beanFactory = beanFactory;
        this.expressions = expressions;
        this.engine = engine;
        this.budgets = budgets;
        this.returnTypes = returnTypes;
        this.maxAttemptsLimit = maxAttemptsLimit;
    }

    /**
     * A retry that is built from settings, and their faults.
     *
     * @param retry does without the settings that are wrong
     */
    record Assembly(RetryBuilder retry, List<RetryFault> faults) {}

    /** Builds a retry for a method of a bean, or for other calls if the class is {@code Object}. */
    Assembly assemble(String name, Class<?> beanClass, Method method, EffectiveSettings settings) {
        return new Assembling(name, beanClass, method, settings).assemble();
    }

    /** The faults of expressions that call methods which the target does not have. */
    List<RetryFault> missingMethods(RetriedMethod method) {
        return new Assembling(method.name(), method.beanClass(), method.method(), method.settings()).missingMethods();
    }

    RetryBuilder retry(String name, RetryPolicy policy) {
        return Retry.builder(name, policy).engine(engine.get());
    }

    /** Whether settings make the same policy for every method, whatever its bean, its parameters and its name are. */
    static boolean isForAnyMethod(EffectiveSettings settings) {
        return settings.values().entrySet().stream()
                .allMatch(entry -> !entry.getKey().dependsOnMethod()
                        || (entry.getKey().equals(Setting.BACKOFF)
                                && Backoff.names().contains(entry.getValue().value())));
    }

    private final class Assembling {

        private final String name;

        private final Class<?> beanClass;

        private final Method method;

        private final EffectiveSettings settings;

        private final RetryPolicyBuilder policy = RetryPolicy.builder();

        private final List<RetryFault> faults = new ArrayList<>();

        Assembling(String name, Class<?> beanClass, Method method, EffectiveSettings settings) {
            this.name = name;
            this.beanClass = beanClass;
            this.method = method;
            this.settings = settings;
        }

        Assembly assemble() {
            apply(settings, policy);
            for (Class<? extends Throwable> breaker : settings.excludedBreakers()) {
                policy.excludes(breaker);
            }
            ending();
            budget();
            rules();
            boolean timed = gates();
            key(Setting.UNIQUE_KEY, settings.isDurable());
            RetryBuilder retry = retry(name, policy.build()).timed(timed);
            namedMethods(retry);
            return new Assembly(retry, faults);
        }

        List<RetryFault> missingMethods() {
            for (Setting<String> setting : Setting.expressions()) {
                boolean hasEffect = !(setting.equals(Setting.BUDGET_KEY) && settings.get(Setting.BUDGET) == null)
                        && !(setting.equals(Setting.UNIQUE_KEY) && !settings.isDurable());
                if (hasEffect) {
                    expression(setting, text -> {}, text -> {
                        expressions.checkMethods(text, beanClass);
                        return text;
                    });
                }
            }
            return faults;
        }

        private void fault(Setting<?> setting, String problem) {
            faults.add(new RetryFault(settings.place(setting), sentence(settings, setting, problem)));
        }

        /** Something that is wrong: as a property has it, for any method, and as the annotation of this one has it. */
        private void fault(EffectiveSettings from, Setting<?> setting, String ofAny, String ofThis) {
            Place place = from.place(setting);
            if (!place.isProperty()) {
                faults.add(new RetryFault(place, sentence(from, setting, ofThis)));
                return;
            }
            List<String> methods =
                    hasBean() ? List.of(MethodKey.of(beanClass, method).toShortString()) : List.of();
            faults.add(new RetryFault(place, sentence(from, setting, ofAny), methods));
        }

        private boolean hasBean() {
            return beanClass != Object.class;
        }

        private static String sentence(EffectiveSettings from, Setting<?> setting, String problem) {
            return setting.attribute() + " is '" + Setting.print(from.require(setting)) + "'" + problem;
        }

        /** The settings that contradict others, which the policy does not get. */
        private Set<Setting<?>> contradiction(EffectiveSettings from) {
            if (!from.hasMaxDelayBelowDelay()) {
                return Set.of();
            }
            if (from.sources(Setting.DELAY).get(0).kind() == SettingSource.Kind.BUILT_IN_POLICY) {
                // As the default delay, which a maxDelay cuts.
                return Set.of(Setting.DELAY);
            }
            Place place = from.place(Setting.MAX_DELAY);
            boolean inProperties =
                    place.isProperty() && from.place(Setting.DELAY).isProperty();
            // In properties it is one fault, of however many methods.
            faults.add(from.maxDelayBelowDelay(
                    inProperties ? place : Place.code(PolicyWarnings.where(beanClass, method))));
            return Set.of(Setting.DELAY, Setting.MAX_DELAY);
        }

        private void ending() {
            boolean hasModule = RetryModule.DURABLE.isPresent();
            String problem = hasModule
                    ? ", but the application has no store for dead letters; configure a DataSource, or add a"
                            + " DeadLetterStore bean"
                    : ", but this needs a module; add the dependency " + RetryModule.DURABLE.dependency();
            if (settings.require(Setting.ON_EXHAUSTION) == ExhaustionAction.DEAD_LETTER
                    && engine.get().deadLetters() == null) {
                fault(Setting.ON_EXHAUSTION, problem);
            }
            if (settings.isDurable() && !hasModule) {
                fault(Setting.DURABLE, problem);
            }
        }

        private void budget() {
            String budget = settings.get(Setting.BUDGET);
            RetryGate divisor = key(Setting.BUDGET_KEY, budget != null);
            if (budget == null) {
                return;
            }
            boolean own = settings.sources(Setting.BUDGET).contains(SettingSource.DEFAULTS);
            try {
                RetryBudget found = own ? budgets.own(budget, name) : budgets.shared(budget);
                if (divisor == null) {
                    policy.budget(found);
                } else {
                    policy.budget(found, divisor.asKey());
                }
            } catch (IllegalArgumentException ex) {
                fault(Setting.BUDGET, ", but " + ex.getMessage());
            }
        }

        /** Parses a key; of one that has no effect here, only the syntax is checked, because other methods may use it. */
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

        private void rules() {
            settings.rules().forEach((error, rule) -> {
                Class<? extends Throwable> type = error.type();
                if (type != null) {
                    policy.onError(type, into -> apply(rule, into));
                } else {
                    policy.onErrorCode(error.toString(), into -> apply(rule, into));
                }
            });
        }

        /** Applies the settings of the policy or of a rule. */
        private void apply(EffectiveSettings from, RetryPolicyBuilder into) {
            from.applyTo(into, contradiction(from));
            Integer maxAttempts = from.get(Setting.MAX_ATTEMPTS);
            if (maxAttempts != null && maxAttemptsLimit != null) {
                into.maxAttempts(Math.min(maxAttempts, maxAttemptsLimit));
            }
            if (from.get(Setting.BACKOFF) != null) {
                backoff(from, into);
            }
        }

        private void backoff(EffectiveSettings from, RetryPolicyBuilder into) {
            String backoff = from.require(Setting.BACKOFF);
            if (Backoff.names().contains(backoff)) {
                into.backoff(backoff);
                return;
            }
            BackoffStrategy strategy = BeanMethodBackoff.strategy(backoff, beanClass, beanFactory);
            if (strategy != null) {
                into.backoff(strategy);
                return;
            }
            String declared = BeanMethodBackoff.declared(backoff, beanClass);
            if (!declared.isEmpty()) {
                String unfit = ", but " + beanClass.getName() + " has " + declared + "; a backoff method "
                        + BeanMethodBackoff.SIGNATURE;
                fault(from, Setting.BACKOFF, unfit, unfit);
                return;
            }
            Set<String> known = BeanMethodBackoff.known(beanFactory);
            String oneOf = ", but must be one of " + known;
            String that = " that " + BeanMethodBackoff.SIGNATURE;
            fault(
                    from,
                    Setting.BACKOFF,
                    oneOf + (hasBean() ? " or a method of the bean" + that : ""),
                    oneOf + " or a method of " + beanClass.getName() + that);
        }

        /** Sets the gates; returns whether one of them asks for the elapsed time. */
        private boolean gates() {
            boolean onlyIf = gate(Setting.ONLY_IF, policy::onlyIf);
            boolean unless = gate(Setting.UNLESS, policy::unless);
            boolean retryIf = gate(Setting.RETRY_IF, gate -> policy.retryIf(gate.overResults()));
            String text = settings.get(Setting.RETRY_IF);
            if (text != null && !text.isEmpty() && hasBean() && returnTypes.hasManyValues(method)) {
                String problem =
                        " returns a stream, which has no single value to judge; return a Mono of a list, or fail"
                                + " the stream with an error that is retried";
                String named = ", but method " + method.getName() + problem;
                fault(settings, Setting.RETRY_IF, ", but the method" + problem, named);
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
                String problem = ", but " + ex.getMessage();
                fault(settings, setting, problem, " for method " + method.getName() + problem);
                return null;
            }
        }

        @SuppressWarnings("NullAway") // a recovery can return null
        private void namedMethods(RetryBuilder retry) {
            RecoveryMethods recovery = named(MethodRole.RECOVERY);
            if (recovery != null) {
                retry.uncheckedRecovery(
                        (call, error, context) -> recovery.recover((MethodInvocation) call, error, context));
            }
            RecoveryMethods beforeRetry = named(MethodRole.BEFORE_RETRY);
            if (beforeRetry != null) {
                retry.beforeRetry((call, context) -> beforeRetry.run((MethodInvocation) call, context));
            }
        }

        private @Nullable RecoveryMethods named(MethodRole role) {
            String reference = settings.get(role.setting());
            if (reference == null) {
                return null;
            }
            try {
                return RecoveryMethods.find(role, reference, beanClass, method, beanFactory);
            } catch (IllegalArgumentException ex) {
                String problem = ", but " + ex.getMessage();
                String missing = RecoveryMethods.missing(role, reference, beanClass, method);
                fault(settings, role.setting(), missing == null ? problem : ", but " + missing, problem);
                return null;
            }
        }
    }
}

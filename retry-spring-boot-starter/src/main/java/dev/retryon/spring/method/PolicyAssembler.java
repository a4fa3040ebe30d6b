/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.backoff.BackoffRegistry;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.expression.RetryExpressions;
import dev.retryon.spring.expression.RetryGate;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.SettingKey;
import dev.retryon.spring.settings.Suggestion;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Makes a policy and a retry of merged settings. */
final class PolicyAssembler {

    private static final Set<String> BUILT_IN = new BackoffRegistry().names();

    private static final Set<SettingKey> ABOUT_METHODS = EnumSet.of(
            SettingKey.BUDGET, SettingKey.ONLY_IF, SettingKey.UNLESS, SettingKey.RETRY_IF, SettingKey.RECOVER);

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryExpressions expressions;

    private final RetryEngine engine;

    private final RetryBudgets budgets;

    private final @Nullable Integer maxAttemptsLimit;

    PolicyAssembler(
            ConfigurableListableBeanFactory beanFactory,
            RetryExpressions expressions,
            RetryEngine engine,
            RetryBudgets budgets,
            @Nullable Integer maxAttemptsLimit) {
        this.beanFactory = beanFactory;
        this.expressions = expressions;
        this.engine = engine;
        this.budgets = budgets;
        this.maxAttemptsLimit = maxAttemptsLimit;
    }

    /**
     * Makes a retry.
     *
     * @param onFault takes the place and a sentence for each thing that is wrong; the retry then does without it
     */
    RetryBuilder assemble(
            String name,
            Class<?> beanClass,
            Method method,
            EffectiveSettings settings,
            BiConsumer<String, String> onFault) {
        RetryPolicyBuilder policy = RetryPolicy.builder();
        policy.retryOn(types(settings, SettingKey.EXCEPTIONS));
        policy.exclude(types(settings, SettingKey.EXCLUDES));
        policy.nonRetryableErrors(strings(settings, SettingKey.NON_RETRYABLE_ERRORS));
        policy.maxAttempts(limited(required(settings, SettingKey.MAX_ATTEMPTS, Integer.class)));
        policy.retryable(required(settings, SettingKey.RETRYABLE, Boolean.class));
        policy.multiplier(required(settings, SettingKey.MULTIPLIER, Double.class));
        policy.jitter(required(settings, SettingKey.JITTER, Jitter.class));
        Duration timeout = settings.get(SettingKey.TIMEOUT, Duration.class);
        if (timeout != null) {
            policy.timeout(timeout);
        }
        Duration attemptTimeout = settings.get(SettingKey.ATTEMPT_TIMEOUT, Duration.class);
        if (attemptTimeout != null) {
            policy.attemptTimeout(attemptTimeout);
        }
        budget(policy, name, settings, onFault);
        delays(policy, beanClass, method, settings, onFault);
        backoff(policy, beanClass, settings, onFault);
        boolean timed = gates(policy, beanClass, method, settings, onFault);
        RetryBuilder retry = retry(name, policy.build()).timed(timed);
        String recover = settings.get(SettingKey.RECOVER, String.class);
        if (recover != null) {
            try {
                retry.recovery(RecoveryMethods.find(recover, beanClass, method, beanFactory));
            } catch (IllegalArgumentException ex) {
                onFault.accept(
                        settings.place(SettingKey.RECOVER), "recover is '" + recover + "', but " + ex.getMessage());
            }
        }
        return retry;
    }

    /** Makes a retry of a policy that is made already. */
    RetryBuilder retry(String name, RetryPolicy policy) {
        return Retry.builder(name, policy).engine(engine);
    }

    /** Whether settings make the same policy for every method: no part of it looks at the method, its bean or its name. */
    static boolean isOfAnyMethod(EffectiveSettings settings) {
        return BUILT_IN.contains(required(settings, SettingKey.BACKOFF, String.class))
                && Collections.disjoint(settings.values().keySet(), ABOUT_METHODS);
    }

    private void budget(
            RetryPolicyBuilder policy, String name, EffectiveSettings settings, BiConsumer<String, String> onFault) {
        String budget = settings.get(SettingKey.BUDGET, String.class);
        if (budget == null) {
            return;
        }
        boolean ofDefaults = settings.source(SettingKey.BUDGET).equals(RetryBudgets.DEFAULTS_SOURCE);
        try {
            policy.budget(ofDefaults ? budgets.own(budget, name) : budgets.shared(budget));
        } catch (IllegalArgumentException ex) {
            onFault.accept(settings.place(SettingKey.BUDGET), "budget is '" + budget + "', but " + ex.getMessage());
        }
    }

    private int limited(int maxAttempts) {
        return maxAttemptsLimit == null ? maxAttempts : Math.min(maxAttempts, maxAttemptsLimit);
    }

    private static void delays(
            RetryPolicyBuilder policy,
            Class<?> beanClass,
            Method method,
            EffectiveSettings settings,
            BiConsumer<String, String> onFault) {
        Duration delay = required(settings, SettingKey.DELAY, Duration.class);
        Duration maxDelay = required(settings, SettingKey.MAX_DELAY, Duration.class);
        boolean maxDelaySaid = settings.isSaid(SettingKey.MAX_DELAY);
        if (settings.isSaid(SettingKey.DELAY) && maxDelaySaid && maxDelay.compareTo(delay) < 0) {
            onFault.accept(
                    beanClass.getName() + "." + method.getName(),
                    "maxDelay is '" + SettingKey.MAX_DELAY.print(maxDelay) + "' ("
                            + settings.place(SettingKey.MAX_DELAY)
                            + "), but must not be below delay, which is '" + SettingKey.DELAY.print(delay) + "' ("
                            + settings.place(SettingKey.DELAY) + ")");
            return;
        }
        // Only what somebody said: a default delay may be above a maxDelay, a default maxDelay gives way to a delay.
        if (settings.isSaid(SettingKey.DELAY)) {
            policy.delay(delay);
        }
        if (maxDelaySaid) {
            policy.maxDelay(maxDelay);
        }
    }

    private void backoff(
            RetryPolicyBuilder policy,
            Class<?> beanClass,
            EffectiveSettings settings,
            BiConsumer<String, String> onFault) {
        String name = required(settings, SettingKey.BACKOFF, String.class);
        if (BUILT_IN.contains(name)) {
            policy.backoff(name);
            return;
        }
        if (beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, BackoffStrategy.class)) {
            policy.backoff(beanFactory.getBean(name, BackoffStrategy.class));
            return;
        }
        BeanMethodBackoff ofBean = BeanMethodBackoff.find(name, beanClass);
        if (ofBean != null) {
            policy.backoff(ofBean);
            return;
        }
        Set<String> known = new TreeSet<>(BUILT_IN);
        known.addAll(Set.of(beanFactory.getBeanNamesForType(BackoffStrategy.class, true, false)));
        onFault.accept(
                settings.place(SettingKey.BACKOFF),
                "backoff is '" + name + "', but must be one of " + known + orMethodOf(beanClass)
                        + Suggestion.of(name, known));
    }

    private static String orMethodOf(Class<?> beanClass) {
        return beanClass == Object.class
                ? ""
                : " or a method of " + beanClass.getName()
                        + " that takes (int retry, Duration base) or (int retry, Duration base, Duration previous)"
                        + " and returns a Duration";
    }

    /** Sets the gates; answers whether one asks for the elapsed time. */
    private boolean gates(
            RetryPolicyBuilder policy,
            Class<?> beanClass,
            Method method,
            EffectiveSettings settings,
            BiConsumer<String, String> onFault) {
        RetryGate onlyIf = gate(SettingKey.ONLY_IF, beanClass, method, settings, onFault);
        RetryGate unless = gate(SettingKey.UNLESS, beanClass, method, settings, onFault);
        RetryGate retryIf = gate(SettingKey.RETRY_IF, beanClass, method, settings, onFault);
        boolean timed = false;
        if (onlyIf != null) {
            policy.onlyIf(onlyIf::test);
            timed = onlyIf.isTimed();
        }
        if (unless != null) {
            policy.unless(unless::test);
            timed |= unless.isTimed();
        }
        if (retryIf != null) {
            policy.retryIf(retryIf::testResult);
            timed |= retryIf.isTimed();
        }
        return timed;
    }

    private @Nullable RetryGate gate(
            SettingKey key,
            Class<?> beanClass,
            Method method,
            EffectiveSettings settings,
            BiConsumer<String, String> onFault) {
        String text = settings.get(key, String.class);
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            return expressions.gate(text, beanClass, method, key == SettingKey.RETRY_IF);
        } catch (IllegalArgumentException ex) {
            onFault.accept(
                    settings.place(key),
                    key.attribute() + " is '" + text + "' for method " + method.getName() + ", but " + ex.getMessage());
            return null;
        }
    }

    private static <T> T required(EffectiveSettings settings, SettingKey key, Class<T> type) {
        return Objects.requireNonNull(settings.get(key, type), key.attribute());
    }

    @SuppressWarnings("unchecked")
    private static Set<Class<? extends Throwable>> types(EffectiveSettings settings, SettingKey key) {
        Set<?> types = settings.get(key, Set.class);
        return types == null ? Set.of() : (Set<Class<? extends Throwable>>) types;
    }

    private static String[] strings(EffectiveSettings settings, SettingKey key) {
        Set<?> strings = settings.get(key, Set.class);
        return strings == null ? new String[0] : strings.toArray(String[]::new);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.StoringMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The retries of the application's named policies and of policies that are built in code. Thread-safe. */
final class ConfiguredRetryRegistry implements RetryRegistry {

    private final Supplier<ConfiguredLayers> configured;

    private final PolicyFactory policies;

    private final StandaloneRetries standalone;

    private final Map<String, Retry> retries = new ConcurrentHashMap<>();

    ConfiguredRetryRegistry(
            Supplier<ConfiguredLayers> configured, PolicyFactory policies, StandaloneRetries standalone) {
        this.configured = configured;
        this.policies = policies;
        this.standalone = standalone;
    }

    @Override
    public Retry retry(String policy) {
        Retry known = retries.get(policy);
        if (known != null) {
            return known;
        }
        // This may make beans: a lock held meanwhile could end in a deadlock with the bean factory's.
        List<RetryLayer> layers = layers(policy);
        // Methods of beans and durable in retryon.defaults are for methods.
        EffectiveSettings settings = EffectiveSettings.defaults()
                .with(layers.get(0))
                .without(Setting.RECOVER, Setting.BEFORE_RETRY, Setting.BUDGET_KEY, Setting.DURABLE)
                .with(layers.subList(1, layers.size()));
        refuse(
                Setting.RECOVER,
                settings,
                "there is no bean with a recovery method; catch the error of the call instead");
        refuse(Setting.BEFORE_RETRY, settings, "there is no bean with a method to run");
        if (settings.get(Setting.DURABLE) != StoringMode.OFF) {
            refuse(Setting.DURABLE, settings, "there is no bean whose method can be called later");
        }
        PolicyAssembler.Assembly assembly = policies.assemble(policy, settings);
        PolicyFactory.refuse(assembly.faults());
        standalone.declare(policy);
        Retry made = standalone.switchable(policy, assembly.retry()).build();
        Retry other = retries.putIfAbsent(policy, made);
        if (other != null) {
            return other;
        }
        policies.warnings().warnOfNamed(policy, settings, layers);
        standalone.addRegistered(new StandaloneRetry(policy, made.policy(), settings.byAttribute()));
        return made;
    }

    @Override
    public Retry retry(String name, RetryPolicy policy) {
        String problem = AnnotationReader.problemOfName(Objects.requireNonNull(name, "name"), name);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        Retry made = standalone
                .switchable(name, policies.assembler().retry(name, policy))
                .build();
        standalone.addRegistered(
                new StandaloneRetry(name, policy, EffectiveSettings.of(policy).byAttribute()));
        return made;
    }

    /** The defaults and the policy. */
    private List<RetryLayer> layers(String policy) {
        ConfiguredLayers now = configured.get();
        List<RetryLayer> layers = now.policy(policy);
        if (layers.isEmpty()) {
            throw new IllegalArgumentException("there is no policy '" + policy + "' under retryon.policies; use one of "
                    + new TreeSet<>(now.policies().keySet()));
        }
        layers.forEach(layer -> PolicyFactory.refuse(layer.faults()));
        layers.add(0, now.defaults());
        return layers;
    }

    private static void refuse(Setting<?> setting, EffectiveSettings settings, String reason) {
        EffectiveSettings.Value<?> value = settings.value(setting);
        if (value != null) {
            throw new IllegalArgumentException(settings.place(setting) + ": " + setting.attribute() + " is '"
                    + value.print() + "', but " + reason);
        }
    }
}

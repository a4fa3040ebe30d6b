// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.Place;
import dev.retryon.spring.internal.declaration.Declaration;
import dev.retryon.spring.internal.declaration.PointcutPolicy;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.declaration.RetrySelection;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;

/**
 * Gathers the layers of a method, the weakest first: defaults, policies of pointcuts, annotations, operators' keys. When
 * properties change while the application runs, a new {@code MethodLayers} replaces the previous one.
 */
final class MethodLayers {

    private final ConfiguredLayers configured;

    private final RetryDeclarations declarations;

    private final RetrySelection selection;

    private final OperatorKeys keys;

    private final RetryExpressions expressions;

    private final RetryFaults faults;

    private final AnnotationReader annotations;

    private final Map<List<RetrySettings>, RetryPolicy> policies = new ConcurrentHashMap<>();

    private final Map<MethodClassKey, List<NamedMethod>> named = new ConcurrentHashMap<>();

    MethodLayers(
            ConfiguredLayers configured,
            RetrySelection selection,
            RetryExpressions expressions,
            RetryFaults faults,
            @Nullable ClassLoader classLoader) {
        this.configured = configured;
        this.declarations = selection.declarations();
        this.selection = selection;
        this.keys = new OperatorKeys(configured.methods(), faults, classLoader);
        this.expressions = expressions;
        this.faults = faults;
        this.annotations = new AnnotationReader(configured, expressions, faults);
        // Policies of pointcuts that match no method are also checked.
        for (PointcutPolicy pointcut : selection.pointcuts()) {
            annotations.knownPolicy(Place.property(pointcut.source()), pointcut.policy());
        }
    }

    ConfiguredLayers configured() {
        return configured;
    }

    /**
     * Returns policies that methods share because all their layers are equal and do not depend on the method. Most applications
     * have many retried methods and few policies. The layers, which are the keys, are the same objects if annotations are equal.
     * The map is modifiable and thread-safe.
     */
    Map<List<RetrySettings>, RetryPolicy> policies() {
        return policies;
    }

    /** Returns the known methods that each retried method names. The map is modifiable and thread-safe. */
    Map<MethodClassKey, List<NamedMethod>> named() {
        return named;
    }

    @Nullable String name(List<Declaration> declared) {
        return annotations.name(declared);
    }

    List<RetrySettings> policy(Place where, String name) {
        return annotations.policy(where, name);
    }

    List<RetrySettings> of(Class<?> beanClass, Method method) {
        return of(beanClass, method, declarations.on(beanClass, method));
    }

    List<RetrySettings> of(Class<?> beanClass, Method method, List<Declaration> declared) {
        return of(beanClass, method, declared, true);
    }

    private List<RetrySettings> of(Class<?> beanClass, Method method, List<Declaration> declared, boolean isRetried) {
        List<RetrySettings> layers = new ArrayList<>();
        layers.add(configured.defaults());
        for (PointcutPolicy next : selection.pointcuts(beanClass, method)) {
            layers.addAll(annotations.policy(Place.property(next.source()), next.policy()));
        }
        layers.addAll(annotations.layers(declared));
        layers.addAll(keys.layers(declarations.hierarchy(beanClass), beanClass, method, isRetried));
        return layers;
    }

    /** Returns a method's settings, without creating the objects that they name. */
    EffectiveSettings settings(Class<?> beanClass, Method method) {
        return EffectiveSettings.defaults().with(of(beanClass, method, declarations.on(beanClass, method), false));
    }

    /**
     * Reports keys that fit no method, and faults of policies that no method has. Such policies can be for another application
     * that shares the properties, so the classes, beans, budgets and methods that they name are not looked up.
     */
    void checkUnused(List<MethodRetry> methods, Set<Class<?>> beans) {
        keys.checkUnused(methods, beans);
        for (RetrySettings policy : configured.policies().values()) {
            // If a method or a client uses the policy, its faults are already recorded.
            if (!faults.hasAnyBelow(policy.source().describe())) {
                checkUnused(EffectiveSettings.defaults().with(policy));
            }
        }
    }

    private void checkUnused(EffectiveSettings policy) {
        Setting.expressions().forEach(gate -> checkForm(gate, policy, expressions::requireParsable));
        for (RecoveryMethods.Role role : RecoveryMethods.Role.values()) {
            checkForm(role.setting(), policy, RecoveryMethods::requireForm);
        }
        Stream.concat(Stream.of(policy), policy.rules().values().stream())
                .filter(EffectiveSettings::hasMaxDelayBelowDelay)
                .forEach(settings -> faults.add(settings.maxDelayBelowDelay(settings.place(Setting.MAX_DELAY))));
    }

    private void checkForm(Setting<String> setting, EffectiveSettings policy, Consumer<String> check) {
        String text = policy.get(setting);
        if (text == null || text.isEmpty()) {
            return;
        }
        try {
            check.accept(text);
        } catch (IllegalArgumentException ex) {
            faults.add(policy.place(setting), setting.attribute() + " is '" + text + "', but " + ex.getMessage());
        }
    }

    record NamedMethod(String name, RecoveryMethods.Role role, Method by) {

        static Stream<NamedMethod> by(Method method, EffectiveSettings settings) {
            return Arrays.stream(RecoveryMethods.Role.values())
                    .flatMap(role -> Stream.ofNullable(settings.get(role.setting()))
                            .map(name -> new NamedMethod(name, role, method)));
        }

        boolean mayBe(Method method, Class<?> beanClass) {
            return name.equals(method.getName())
                    && RecoveryForm.of(method, by).misfit(role, beanClass, beanClass) == null;
        }
    }
}

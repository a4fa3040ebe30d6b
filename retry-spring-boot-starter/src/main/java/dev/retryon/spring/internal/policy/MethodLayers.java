// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

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

    /** The names in each method's settings. Kept because each method of an annotated class is compared with all others. */
    private final Map<MethodClassKey, Map<RecoveryMethods.Role, String>> namesBy = new ConcurrentHashMap<>();

    MethodLayers(
            ConfiguredLayers configured,
            RetrySelection selection,
            RetryExpressions expressions,
            RetryFaults faults,
            @Nullable ClassLoader classLoader) {
        this.configured = configured;
        this.declarations = selection.declarations();
        this.selection = selection;
        this.keys = new OperatorKeys(configured.methods(), declarations, faults, classLoader);
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
        List<RetrySettings> layers = new ArrayList<>();
        layers.add(configured.defaults());
        for (PointcutPolicy next : selection.pointcuts(beanClass, method)) {
            layers.addAll(annotations.policy(Place.property(next.source()), next.policy()));
        }
        layers.addAll(annotations.layers(declared));
        layers.addAll(keys.layers(beanClass, method));
        return layers;
    }

    /** Returns a method's settings, without creating the objects that they name. */
    EffectiveSettings settings(Class<?> beanClass, Method method) {
        return EffectiveSettings.defaults().with(of(beanClass, method));
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

    /** Returns whether a method's settings name another method of its bean, which fits the place for which it is named. */
    boolean isNamedBy(Method by, Method named, Class<?> beanClass) {
        MethodClassKey key = new MethodClassKey(by, beanClass);
        Map<RecoveryMethods.Role, String> names = namesBy.get(key);
        if (names == null) {
            names = RecoveryMethods.names(settings(beanClass, by));
            namesBy.put(key, names);
        }
        return names.entrySet().stream()
                .anyMatch(next -> next.getValue().equals(named.getName())
                        && RecoveryForm.of(named, by).misfit(next.getKey(), beanClass, beanClass) == null);
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.Place;
import dev.retryon.spring.internal.declaration.Declaration;
import dev.retryon.spring.internal.declaration.PointcutPolicies;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the layers of a method, the weakest first: defaults, policies of pointcuts, annotations, keys of the
 * operator. When properties change while the application runs, there is a new one of these.
 */
final class MethodLayers {

    private final ConfiguredLayers configured;

    private final RetryDeclarations declarations;

    private final PointcutPolicies pointcuts;

    private final OperatorKeys keys;

    private final AnnotationReader annotations;

    private final SharedPolicies policies = new SharedPolicies();

    MethodLayers(
            ConfiguredLayers configured,
            RetryDeclarations declarations,
            PointcutPolicies pointcuts,
            OperatorKeys keys,
            RetryExpressions expressions,
            RetryFaults faults) {
        this.configured = configured;
        this.declarations = declarations;
        this.pointcuts = pointcuts;
        this.keys = keys;
        this.annotations = new AnnotationReader(configured, expressions, faults);
        // Policies of pointcuts that match nothing are checked too.
        for (ConfiguredLayers.PointcutPolicy pointcut : configured.pointcuts().values()) {
            annotations.knownPolicy(Place.property(pointcut.source()), pointcut.policy());
        }
    }

    /** The settings of the properties. */
    ConfiguredLayers configured() {
        return configured;
    }

    /** The settings that an operator gave classes and methods. */
    OperatorKeys keys() {
        return keys;
    }

    /** Policies made of these layers. */
    SharedPolicies policies() {
        return policies;
    }

    /** The name that the annotations give a method; {@code null} if they give none. */
    @Nullable String name(List<Declaration> declared) {
        String name = annotations.name(declared);
        return name.isEmpty() ? null : name;
    }

    /**
     * The layers of a method.
     *
     * @param declared its annotations
     */
    List<RetryLayer> of(Class<?> beanClass, Method method, List<Declaration> declared) {
        List<RetryLayer> layers = new ArrayList<>();
        layers.add(configured.defaults());
        List<ConfiguredLayers.PointcutPolicy> matching = pointcuts.matching(beanClass, method);
        if (!matching.isEmpty() && !declarations.isOptedOut(beanClass, method)) {
            for (ConfiguredLayers.PointcutPolicy next : matching) {
                layers.addAll(annotations.policy(Place.property(next.source()), next.policy()));
            }
        }
        layers.addAll(annotations.layers(declared));
        layers.addAll(keys.layers(declarations.hierarchy(beanClass), beanClass, method));
        return layers;
    }

    /** The settings of a method, without making anything that they name. */
    EffectiveSettings settings(Class<?> beanClass, Method method) {
        return EffectiveSettings.defaults().with(of(beanClass, method, declarations.on(beanClass, method)));
    }

    /** The purposes for which a method's layers name a method. */
    List<MethodRole> roles(String named, Class<?> beanClass, Method method) {
        Map<MethodRole, String> names = new EnumMap<>(MethodRole.class);
        for (RetryLayer layer : of(beanClass, method, declarations.on(beanClass, method))) {
            for (MethodRole role : MethodRole.values()) {
                String own = layer.settings().get(role.setting());
                if (own != null) {
                    names.put(role, own);
                }
            }
        }
        return names.keySet().stream()
                .filter(role -> named.equals(names.get(role)))
                .toList();
    }
}

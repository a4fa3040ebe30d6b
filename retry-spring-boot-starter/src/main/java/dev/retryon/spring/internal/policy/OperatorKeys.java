/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.declaration.TypeHierarchy;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.StarterLog;
import dev.retryon.spring.internal.settings.RetryLayer;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The settings that an operator gave classes and methods, {@code retryon.methods}. Thread-safe. */
final class OperatorKeys {

    private final Map<String, RetryLayer> layers;

    private final Map<String, MethodKey> keys = new TreeMap<>();

    /** Keys that fit a retried method. */
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    private final RetryFaults faults;

    private final @Nullable ClassLoader classLoader;

    OperatorKeys(Map<String, RetryLayer> layers, RetryFaults faults, @Nullable ClassLoader classLoader) {
        this.layers = layers;
        this.faults = faults;
        this.classLoader = classLoader;
        layers.keySet().forEach(key -> keys.put(key, MethodKey.parse(key)));
    }

    /** The layers for a method of a class, the weakest first: the narrower the key, the stronger. */
    List<RetryLayer> layers(TypeHierarchy hierarchy, Class<?> beanClass, Method method) {
        if (keys.isEmpty()) {
            return List.of();
        }
        List<String> rank = hierarchy.types().stream().map(Class::getName).toList();
        return keys.entrySet().stream()
                .filter(entry -> rank.contains(entry.getValue().className())
                        && isFor(entry.getKey(), entry.getValue(), beanClass, method))
                .sorted(Comparator.<Map.Entry<String, MethodKey>>comparingInt(
                                entry -> entry.getValue().narrowness())
                        .thenComparingInt(entry -> rank.indexOf(entry.getValue().className())))
                .map(entry -> {
                    used.add(entry.getKey());
                    RetryLayer layer = Objects.requireNonNull(layers.get(entry.getKey()));
                    layer.faults().forEach(faults::add);
                    return layer;
                })
                .toList();
    }

    /** Whether a key of the right class is for a method. A key that fits several overloads alike is a fault. */
    private boolean isFor(String text, MethodKey key, Class<?> beanClass, Method method) {
        if (!key.fits(method)) {
            return false;
        }
        if (key.narrowness() < 2 || key.isLongFormOf(method)) {
            return true;
        }
        List<Method> fitting = RetryDeclarations.methodsOf(beanClass, key::fits);
        if (fitting.stream().anyMatch(key::isLongFormOf)) {
            return false;
        }
        if (fitting.size() > 1) {
            String longForms = String.join(
                    ", ",
                    fitting.stream()
                            .map(next -> new MethodKey(
                                            key.className(),
                                            key.methodName(),
                                            MethodKey.of(beanClass, next).parameters())
                                    .toString())
                            .toList());
            faults.add(
                    property(text),
                    "fits " + fitting.size() + " overloads, but must fit one; write the parameter types in full: "
                            + longForms);
        }
        return true;
    }

    private static String property(String key) {
        return "retryon.methods[" + key + "]";
    }

    /**
     * Reports the keys that fit no retried method.
     *
     * @param methods the retried methods
     * @param beans the classes of all beans
     */
    void checkUnused(RetriedMethods methods, Set<Class<?>> beans) {
        List<String> elsewhere = new ArrayList<>();
        keys.forEach((text, key) -> {
            if (!used.contains(text)
                    && !faults.hasAnyBelow(property(text))
                    && !new UnusedKey(key, methods, classLoader).report(property(text), beans, faults)) {
                elsewhere.add(text);
            }
        });
        if (!elsewhere.isEmpty()) {
            StarterLog.infoOfStart("retryon.methods has keys for which there is no bean in this context: " + elsewhere);
        }
    }
}

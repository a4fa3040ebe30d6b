// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.report.NearestName;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.StarterLog;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The settings that an operator has set for classes and methods in {@code retryon.methods}. Thread-safe. */
final class OperatorKeys {

    /** The maximum number of letters by which a mistyped name differs. */
    private static final int SLIP = 2;

    private final List<Entry> entries;

    private final RetryDeclarations declarations;

    private final RetryFaults faults;

    private final @Nullable ClassLoader classLoader;

    OperatorKeys(
            Map<String, RetrySettings> layers,
            RetryDeclarations declarations,
            RetryFaults faults,
            @Nullable ClassLoader classLoader) {
        this.entries = new TreeMap<>(layers)
                .entrySet().stream()
                        .map(next -> new Entry(next.getKey(), MethodKey.parse(next.getKey()), next.getValue()))
                        .toList();
        this.declarations = declarations;
        this.faults = faults;
        this.classLoader = classLoader;
    }

    private record Entry(String text, MethodKey key, RetrySettings layer) {

        String property() {
            return SettingSource.methods(text).describe();
        }
    }

    /** Returns the layers for a method of a class, the weakest first. The narrower a key is, the stronger its layer is. */
    List<RetrySettings> layers(Class<?> beanClass, Method method) {
        if (entries.isEmpty()) {
            return List.of();
        }
        List<String> rank = rank(beanClass);
        List<RetrySettings> layers = entries.stream()
                .filter(entry -> rank.contains(entry.key().className()) && isFor(entry, beanClass, method))
                .sorted(Comparator.comparingInt((Entry entry) -> entry.key().narrowness())
                        .thenComparingInt(entry -> rank.indexOf(entry.key().className())))
                .map(Entry::layer)
                .toList();
        layers.forEach(layer -> layer.faults().forEach(faults::add));
        return layers;
    }

    /** Returns the names of a class and its supertypes, the weakest first. */
    private List<String> rank(Class<?> beanClass) {
        return declarations.hierarchy(beanClass).types().stream()
                .map(Class::getName)
                .toList();
    }

    /** Returns whether a key applies to a method of its class. A key that fits several overloads equally well is a fault. */
    private boolean isFor(Entry entry, Class<?> beanClass, Method method) {
        MethodKey key = entry.key();
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
            String longForms = fitting.stream()
                    .map(next -> MethodKey.of(beanClass, next).parameters())
                    .map(types -> new MethodKey(key.className(), key.methodName(), types).toString())
                    .collect(Collectors.joining(", "));
            faults.add(
                    entry.property(),
                    "matches " + fitting.size() + " overloads, but must match one; write the parameter types in full: "
                            + longForms);
        }
        return true;
    }

    void checkUnused(List<MethodRetry> methods, Set<Class<?>> beans) {
        List<String> elsewhere = new ArrayList<>();
        for (Entry entry : entries) {
            if (!isUsed(entry.key(), methods)
                    && !faults.hasAnyBelow(entry.property())
                    && !report(entry, methods, beans)) {
                elsewhere.add(entry.text());
            }
        }
        if (!elsewhere.isEmpty()) {
            StarterLog.infoOfStart("retryon.methods has keys for classes that have no bean in this context: "
                    + String.join(", ", elsewhere));
        }
    }

    /** Records no fault, because the bean of a method can be a mock, whose faults do not count. */
    private boolean isUsed(MethodKey key, List<MethodRetry> methods) {
        return methods.stream()
                .anyMatch(retried ->
                        key.fits(retried.method()) && rank(retried.beanClass()).contains(key.className()));
    }

    /**
     * Reports a fault if a bean's method is mistyped, and a warning if this context has a bean of the key's class. Otherwise,
     * returns {@code false}: the key can belong to another application, to a conditional bean, or to a bean of another context.
     */
    private boolean report(Entry entry, List<MethodRetry> methods, Set<Class<?>> beans) {
        MethodKey key = entry.key();
        Class<?> type = load(key);
        if (type == null && !key.className().contains(".")) {
            faults.add(
                    entry.property(),
                    "is not the full name of a class or method in brackets; write it as"
                            + " \"[com.acme.Payments#charge]\"");
            return true;
        }
        if (type == null || beans.stream().noneMatch(type::isAssignableFrom)) {
            return false;
        }
        Set<String> retried = methods.stream()
                .filter(method -> type.isAssignableFrom(method.beanClass()))
                .map(method -> method.method().getName())
                .collect(Collectors.toSet());
        boolean isMistyped = key.methodName() != null
                && !hasMethod(type, key.methodName(), beans)
                && NearestName.of(key.methodName(), retried, SLIP) != null;
        String problem = "matches no retried method; /actuator/retryon lists the retried methods of each class";
        if (isMistyped) {
            faults.add(entry.property(), problem);
        } else {
            faults.warn(
                    RetryWarning.METHOD_KEY,
                    entry.property() + " " + problem + ". Settings alone do not enable retries; add @RetryOn or a"
                            + " pointcut.");
        }
        return true;
    }

    private static boolean hasMethod(Class<?> type, String name, Set<Class<?>> beans) {
        return beans.stream()
                .filter(type::isAssignableFrom)
                .anyMatch(bean -> !RetryDeclarations.methodsOf(
                                bean, method -> method.getName().equals(name))
                        .isEmpty());
    }

    /** Loads the class of a key, even if the key has a dot instead of a hash before the method. */
    private @Nullable Class<?> load(MethodKey key) {
        String name = key.className();
        return Stream.of(name, name.substring(0, Math.max(0, name.lastIndexOf('.'))))
                .filter(className -> ClassUtils.isPresent(className, classLoader))
                .findFirst()
                .<Class<?>>map(className -> ClassUtils.resolveClassName(className, classLoader))
                .orElse(null);
    }
}

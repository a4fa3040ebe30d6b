/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.settings.RetryFaults;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of attributes of composed annotations that are called like one of {@link RetryOn} without being its alias. Up to Spring
 * Framework 6 the name was enough. Thread-safe.
 */
final class ComposedAnnotations {

    /** Attributes that other annotations have too, such as the name of a bean or the timeout of a transaction. */
    private static final Set<String> USUAL = Set.of("value", "name", "policy", "timeout");

    private final RetryFaults faults;

    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

    ComposedAnnotations(RetryFaults faults) {
        this.faults = faults;
    }

    /** Looks at the annotations by which a {@code @RetryOn} is there. */
    void check(MergedAnnotation<?> found) {
        for (MergedAnnotation<?> next = found.getMetaSource(); next != null; next = next.getMetaSource()) {
            Class<?> type = next.getType();
            if (checked.add(type)) {
                for (Method attribute : ReflectionUtils.getDeclaredMethods(type)) {
                    check(type, attribute);
                }
            }
        }
    }

    private void check(Class<?> type, Method attribute) {
        String name = attribute.getName();
        Method meant = ReflectionUtils.findMethod(RetryOn.class, name);
        if (meant == null
                || attribute.isAnnotationPresent(AliasFor.class)
                || attribute.getReturnType() != meant.getReturnType()
                || (USUAL.contains(name) && isOfOthers(type))) {
            return;
        }
        faults.warn(
                "@" + type.getName() + " has an attribute " + name + " that sets nothing of @RetryOn, because it is not"
                        + " declared as an alias; say @AliasFor(annotation = RetryOn.class) on it, or give it another name");
    }

    /** Whether an annotation is composed of something else as well. */
    private static boolean isOfOthers(Class<?> type) {
        return Arrays.stream(type.getAnnotations())
                .map(Annotation::annotationType)
                .anyMatch(composed -> !composed.getName().startsWith("java.lang.annotation.")
                        && composed != RetryOn.class
                        && !MergedAnnotations.from(composed).isPresent(RetryOn.class));
    }
}

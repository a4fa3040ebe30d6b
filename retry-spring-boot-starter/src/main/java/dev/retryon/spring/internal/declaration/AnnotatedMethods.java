/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.report.RetryFaults;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The methods of a class that annotations make retried ones. Immutable.
 *
 * @param types the class and the types it inherits from, the class last
 * @param written the annotations that were written: those of the starter, or ones that are composed of them
 * @param methods the methods, and the annotations that apply to each, weakest first
 */
public record AnnotatedMethods(
        List<Class<?>> types, Set<Class<? extends Annotation>> written, Map<Method, List<RetryOn>> methods) {

    /**
     * Finds them. Contradictions among annotations are not reported here.
     *
     * @param beanClass the class of a bean
     * @return possibly without a method
     */
    public static AnnotatedMethods of(Class<?> beanClass) {
        RetryDeclarations declarations = new RetryDeclarations(new RetryFaults());
        Set<Class<? extends Annotation>> written = new LinkedHashSet<>();
        Map<Method, List<RetryOn>> methods = new LinkedHashMap<>();
        if (declarations.hasAny(beanClass)) {
            for (Method method :
                    RetryDeclarations.methodsOf(beanClass, candidate -> declarations.isRetried(beanClass, candidate))) {
                List<Declaration> found = declarations.on(beanClass, method);
                found.forEach(declaration -> written.add(declaration.written()));
                methods.put(method, found.stream().map(Declaration::annotation).toList());
            }
        }
        return new AnnotatedMethods(
                declarations.hierarchy(beanClass).types(),
                Collections.unmodifiableSet(written),
                Collections.unmodifiableMap(methods));
    }
}

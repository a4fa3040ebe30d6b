/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.RetryFaults;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The methods of a class that annotations make retried ones. Immutable.
 *
 * @param types the class and the types it inherits from, the class last
 * @param methods the methods, and the annotations on each and on the types, the weakest first
 * @since 0.1.0
 */
public record AnnotatedMethods(List<Class<?>> types, Map<Method, List<Declaration>> methods) {

    /**
     * Finds them. Contradictions among annotations are not reported here.
     *
     * @param beanClass the class of a bean
     * @return possibly without a method
     */
    public static AnnotatedMethods of(Class<?> beanClass) {
        RetryDeclarations declarations = new RetryDeclarations(new RetryFaults());
        Map<Method, List<Declaration>> methods = new LinkedHashMap<>();
        if (declarations.hasAny(beanClass)) {
            RetryDeclarations.methodsOf(beanClass, method -> declarations.isRetried(beanClass, method))
                    .forEach(method -> methods.put(method, declarations.on(beanClass, method)));
        }
        return new AnnotatedMethods(declarations.hierarchy(beanClass).types(), Collections.unmodifiableMap(methods));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import java.lang.reflect.Method;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods that a gate calls: the public methods of other objects, and all methods of the gate's bean. Spring caches the
 * results, because this is the only resolver and a reflective one.
 */
final class BeanMethodResolver extends ReflectiveMethodResolver {

    private final Class<?> beanClass;

    BeanMethodResolver(Class<?> beanClass) {
        this.beanClass = beanClass;
    }

    @Override
    protected Method[] getMethods(Class<?> type) {
        return beanClass != Object.class && beanClass.isAssignableFrom(type)
                ? ReflectionUtils.getAllDeclaredMethods(type)
                : super.getMethods(type);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects.internal;

import dev.retryon.aspects.RetryOnAspect;
import dev.retryon.spring.RetryOn;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

/** The annotations for which the pointcut of {@link RetryOnAspect} selects methods. */
final class SeenAnnotations {

    private SeenAnnotations() {}

    /**
     * Returns whether a method has a body and is annotated with {@code @RetryOn} or with an annotation that has
     * {@code @RetryOn}. If the method is public and not static, an annotation of its class is sufficient. Deeper and inherited
     * annotations and those in a container do not count.
     */
    static boolean on(Method method) {
        int modifiers = method.getModifiers();
        return !Modifier.isAbstract(modifiers)
                && (isNear(method)
                        || (Modifier.isPublic(modifiers)
                                && !Modifier.isStatic(modifiers)
                                && isNear(method.getDeclaringClass())));
    }

    private static boolean isNear(AnnotatedElement element) {
        return Arrays.stream(element.getDeclaredAnnotations())
                .map(Annotation::annotationType)
                .anyMatch(type -> isOurs(type)
                        || Arrays.stream(type.getDeclaredAnnotations()).anyMatch(on -> isOurs(on.annotationType())));
    }

    private static boolean isOurs(Class<? extends Annotation> type) {
        return type == RetryOn.class || type == RetryOn.List.class;
    }
}

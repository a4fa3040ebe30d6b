// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.SettingGroup;
import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/** Finds the annotations that apply to a method: on the method, on methods that it overrides, and on types. Thread-safe. */
public final class RetryDeclarations {

    private final RetryFaults faults;

    /** Kept because every method of every bean is checked. */
    private final Map<Class<?>, Own> own = new ConcurrentHashMap<>();

    /** Whether methods are retried. Kept because each method is checked several times before its bean is created. */
    private final Map<MethodClassKey, Boolean> retried = new ConcurrentHashMap<>();

    private final Map<Class<?>, TypeHierarchy> hierarchies = new ConcurrentHashMap<>();

    public RetryDeclarations(RetryFaults faults) {
        this.faults = faults;
    }

    public TypeHierarchy hierarchy(Class<?> type) {
        return hierarchies.computeIfAbsent(type, TypeHierarchy::of);
    }

    /** Returns whether a class or any of its supertypes is annotated or has an annotated method. */
    public boolean hasAny(Class<?> type) {
        for (Class<?> next : hierarchy(type).types()) {
            if (own(next).isAny()) {
                return true;
            }
        }
        return false;
    }

    private Own own(Class<?> type) {
        return own.computeIfAbsent(type, Own::of);
    }

    private static boolean isAnnotated(AnnotatedElement element, Class<? extends Annotation> annotation) {
        return element.getDeclaredAnnotations().length > 0
                && MergedAnnotations.from(element).isPresent(annotation);
    }

    /** Uses no stream, which would take most of the time, because this method runs for the methods of every bean. */
    private static boolean isAnyAnnotated(
            List<? extends AnnotatedElement> elements, Class<? extends Annotation> annotation) {
        for (AnnotatedElement element : elements) {
            if (isAnnotated(element, annotation)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the annotations that apply to a method, the weakest first: annotations on types, on overridden methods,
     * and on the method itself. If an annotation inherits nothing, the weaker ones are omitted.
     */
    public List<Declaration> on(Class<?> beanClass, Method method) {
        List<Declaration> found = new ArrayList<>();
        TypeHierarchy hierarchy = hierarchy(beanClass);
        for (Class<?> type : hierarchy.types()) {
            if (own(type).annotated) {
                found.addAll(on(type));
            }
        }
        for (Method next : hierarchy.declarationsOf(method)) {
            found.addAll(on(next));
        }
        for (int i = found.size() - 1; i > 0; i--) {
            if (found.get(i).inheritsNothing()) {
                return found.subList(i, found.size());
            }
        }
        return found;
    }

    /**
     * Returns the annotations of one element in declaration order. Within one annotation, nearer annotations are stronger.
     * Annotations of groups, which have other settings, come last, because none that inherits nothing is stronger.
     */
    public List<Declaration> on(AnnotatedElement element) {
        if (!isAnnotated(element, RetryOn.class)) {
            return List.of();
        }
        Annotation[] written = element.getDeclaredAnnotations();
        if (written.length == 1 && written[0] instanceof RetryOn only && !isTwofold(only)) {
            // No meta-annotations to merge; Spring's merged view takes several times as long to create and to read.
            return List.of(new Declaration(only, RetryOn.class, element));
        }
        try {
            List<MergedAnnotation<RetryOn>> found =
                    MergedAnnotations.from(element).stream(RetryOn.class).toList();
            List<Declaration> declarations = new ArrayList<>();
            List<Declaration> ofGroups = new ArrayList<>();
            for (MergedAnnotation<RetryOn> next : found.size() < 2 ? found : inOrder(found, written)) {
                MergedAnnotation<?> group = next.getMetaSource();
                if (group != null && SettingGroup.of(group.getType()) != null) {
                    ofGroups.add(
                            new Declaration(group.synthesize(), next.getRoot().getType(), element));
                } else {
                    add(next, element, declarations);
                }
            }
            declarations.addAll(ofGroups);
            return declarations;
        } catch (AnnotationConfigurationException ex) {
            faults.add(Declaration.place(RetryOn.class, element), String.valueOf(ex.getMessage()));
            return List.of();
        }
    }

    private void add(MergedAnnotation<RetryOn> found, AnnotatedElement element, List<Declaration> declarations) {
        Class<? extends Annotation> written = found.getRoot().getType();
        RetryOn itself = found.getDistance() == 0 ? element.getDeclaredAnnotation(RetryOn.class) : null;
        try {
            RetryOn annotation = itself != null ? itself : found.synthesize();
            declarations.add(new Declaration(
                    isTwofold(annotation) ? replacing(annotation, found) : annotation, written, element));
        } catch (RuntimeException ex) {
            faults.add(Declaration.place(written, element), String.valueOf(ex.getMessage()));
        }
    }

    /** Returns whether an annotation lists different types in {@code value} and {@code exceptions}, which are one setting. */
    private static boolean isTwofold(RetryOn annotation) {
        return annotation.value().length > 0
                && annotation.exceptions().length > 0
                && !Arrays.equals(annotation.value(), annotation.exceptions());
    }

    /**
     * Returns the annotation with the types that a composed annotation passes on, which replace the types that are
     * written in it. Throws IllegalArgumentException if both attributes are written or passed on.
     */
    private static RetryOn replacing(RetryOn annotation, MergedAnnotation<RetryOn> merged) {
        MergedAnnotation<?> composed = merged.getMetaSource();
        RetryOn own = composed == null ? null : composed.getType().getDeclaredAnnotation(RetryOn.class);
        boolean value = own != null && !Arrays.equals(own.value(), annotation.value());
        boolean exceptions = own != null && !Arrays.equals(own.exceptions(), annotation.exceptions());
        if (value == exceptions) {
            throw new IllegalArgumentException("'value' lists " + names(annotation.value()) + " and 'exceptions' lists "
                    + names(annotation.exceptions()) + ", but the two are aliases; list all types in one of them");
        }
        Map<String, Object> attributes = new HashMap<>(merged.asMap());
        attributes.put(value ? "exceptions" : "value", new Class<?>[0]);
        return MergedAnnotation.of(RetryOn.class, attributes).synthesize();
    }

    private static List<MergedAnnotation<RetryOn>> inOrder(
            List<MergedAnnotation<RetryOn>> found, Annotation[] written) {
        List<Class<? extends Annotation>> order = new ArrayList<>();
        for (Annotation annotation : written) {
            order.add(annotation.annotationType());
        }
        return found.stream()
                .sorted(Comparator.<MergedAnnotation<RetryOn>>comparingInt(
                                next -> position(next.getRoot().getType(), order))
                        .thenComparing(Comparator.comparingInt(MergedAnnotation<RetryOn>::getDistance)
                                .reversed()))
                .toList();
    }

    /** Returns the position of an annotation on its element. A repeated annotation has the position of its container. */
    private static int position(Class<? extends Annotation> type, List<Class<? extends Annotation>> order) {
        int position = order.indexOf(type);
        Repeatable repeatable = type.getAnnotation(Repeatable.class);
        return position < 0 && repeatable != null ? order.indexOf(repeatable.value()) : position;
    }

    private static String names(Class<?>[] types) {
        return Arrays.stream(types).map(Class::getSimpleName).collect(Collectors.joining(", "));
    }

    /**
     * Returns whether annotations might mark a bean's method as retried. The method can be in any form, such as that of
     * an interface. Compares only names, to be fast.
     */
    public boolean mayBeRetried(Class<?> beanClass, Method method) {
        for (Class<?> type : hierarchy(beanClass).types()) {
            Own declared = own(type);
            if (declared.annotated || declared.methods.contains(method.getName())) {
                return true;
            }
        }
        return false;
    }

    public boolean isRetried(Class<?> beanClass, Method method) {
        if (!mayBeRetried(beanClass, method)) {
            return false;
        }
        MethodClassKey key = new MethodClassKey(method, beanClass);
        Boolean known = retried.get(key);
        if (known == null) {
            known = isCovered(beanClass, method);
            retried.put(key, known);
        }
        return known;
    }

    private boolean isCovered(Class<?> beanClass, Method method) {
        if (ReflectionUtils.isObjectMethod(method) || method.isSynthetic()) {
            return false;
        }
        TypeHierarchy hierarchy = hierarchy(beanClass);
        List<Method> all = hierarchy.declarationsOf(method);
        boolean covered = isAnyAnnotated(all, RetryOn.class)
                || (isPublicInstance(method) && hierarchy.types().stream().anyMatch(type -> own(type).annotated));
        return covered && !isAnyAnnotated(all, DoNotRetry.class);
    }

    private static boolean isPublicInstance(Method method) {
        return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
    }

    public boolean isOptedOut(Class<?> beanClass, Method method) {
        return isAnyAnnotated(hierarchy(beanClass).declarationsOf(method), DoNotRetry.class);
    }

    /** Returns a class's methods in their most specific form, sorted so that every start reports faults in the same order. */
    public static List<Method> methodsOf(Class<?> beanClass, Predicate<Method> wanted) {
        Set<Method> methods = new LinkedHashSet<>();
        ReflectionUtils.doWithMethods(
                beanClass,
                method -> {
                    Method specific = Modifier.isStatic(method.getModifiers())
                            ? method
                            : AopUtils.getMostSpecificMethod(method, beanClass);
                    if (wanted.test(specific)) {
                        methods.add(specific);
                    }
                },
                ReflectionUtils.USER_DECLARED_METHODS);
        return methods.stream()
                .sorted(Comparator.comparing(Method::getName).thenComparing(Method::toString))
                .toList();
    }

    /** The declarations of one type, without inherited ones. {@code methods} contains the names of annotated methods. */
    private record Own(boolean annotated, Set<String> methods) {

        boolean isAny() {
            return annotated || !methods.isEmpty();
        }

        static Own of(Class<?> type) {
            if (type.getName().startsWith("java.")) {
                return new Own(false, Set.of());
            }
            boolean annotated = isAnnotated(type, RetryOn.class);
            Set<String> methods = new HashSet<>();
            for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
                if (isAnnotated(method, RetryOn.class)) {
                    methods.add(method.getName());
                }
            }
            return new Own(annotated, methods);
        }
    }
}

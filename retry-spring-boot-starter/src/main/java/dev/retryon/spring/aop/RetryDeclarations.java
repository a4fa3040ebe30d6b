package dev.retryon.spring.aop;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.settings.RetryFaults;
import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/** Finds the annotations that speak about a method, wherever they stand. Thread-safe. */
final class RetryDeclarations {

    private final RetryFaults faults;

    /** Whether a type, without what it inherits, declares anything: asked for every type of every bean. */
    private final Map<Class<?>, Boolean> declaring = new ConcurrentHashMap<>();

    private final Map<Class<?>, TypeHierarchy> hierarchies = new ConcurrentHashMap<>();

    RetryDeclarations(RetryFaults faults) {
        this.faults = faults;
    }

    TypeHierarchy hierarchy(Class<?> type) {
        return hierarchies.computeIfAbsent(type, TypeHierarchy::of);
    }

    /** Whether any annotation in a class's hierarchy speaks of it. */
    boolean hasAny(Class<?> type) {
        for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
            if (isDeclaring(next) || anyInterfaceDeclares(next)) {
                return true;
            }
        }
        return false;
    }

    private boolean anyInterfaceDeclares(Class<?> type) {
        for (Class<?> next : type.getInterfaces()) {
            if (isDeclaring(next) || anyInterfaceDeclares(next)) {
                return true;
            }
        }
        return false;
    }

    private boolean isDeclaring(Class<?> type) {
        if (type.getName().startsWith("java.")) {
            return false;
        }
        Boolean known = declaring.get(type);
        if (known == null) {
            known = isAnnotated(type)
                    || Arrays.stream(ReflectionUtils.getDeclaredMethods(type)).anyMatch(RetryDeclarations::isAnnotated);
            declaring.put(type, known);
        }
        return known;
    }

    private static boolean isAnnotated(AnnotatedElement element) {
        return MergedAnnotations.from(element).isPresent(RetryOn.class);
    }

    /** The annotations on types, the weakest first. */
    List<MergedAnnotation<RetryOn>> onTypes(Class<?> beanClass) {
        List<MergedAnnotation<RetryOn>> found = new ArrayList<>();
        hierarchy(beanClass).types().forEach(type -> found.addAll(on(type)));
        return found;
    }

    /** The annotations on a method and those that it overrides, the weakest first. */
    List<MergedAnnotation<RetryOn>> onMethods(Class<?> beanClass, Method method) {
        List<MergedAnnotation<RetryOn>> found = new ArrayList<>();
        hierarchy(beanClass).declarationsOf(method).forEach(next -> found.addAll(on(next)));
        return found;
    }

    /** The annotations of one element in declaration order; of those within one annotation the nearer are stronger. */
    List<MergedAnnotation<RetryOn>> on(AnnotatedElement element) {
        List<Class<? extends Annotation>> order = new ArrayList<>();
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            order.add(annotation.annotationType());
        }
        try {
            return MergedAnnotations.from(element).stream(RetryOn.class)
                    .sorted(Comparator.<MergedAnnotation<RetryOn>>comparingInt(
                                    next -> position(next.getRoot().getType(), order))
                            .thenComparing(Comparator.comparingInt(MergedAnnotation<RetryOn>::getDistance)
                                    .reversed()))
                    .toList();
        } catch (AnnotationConfigurationException ex) {
            faults.add("@RetryOn on " + place(element), contradiction(element, ex));
            return List.of();
        }
    }

    /** Where an annotation stands among those of its element; a repeated one stands in its container. */
    private static int position(Class<? extends Annotation> type, List<Class<? extends Annotation>> order) {
        int position = order.indexOf(type);
        Repeatable repeatable = type.getAnnotation(Repeatable.class);
        return position < 0 && repeatable != null ? order.indexOf(repeatable.value()) : position;
    }

    /** A type or method, as people are told of it. */
    static String place(AnnotatedElement element) {
        if (element instanceof Method method) {
            return method.getDeclaringClass().getName() + "." + method.getName();
        }
        return element instanceof Class<?> type ? type.getName() : String.valueOf(element);
    }

    private static String contradiction(AnnotatedElement element, AnnotationConfigurationException ex) {
        RetryOn declared = element.getDeclaredAnnotation(RetryOn.class);
        return declared != null && declared.value().length > 0 && declared.exceptions().length > 0
                ? "value is " + names(declared.value()) + " and exceptions is " + names(declared.exceptions())
                        + ", but the two mean the same; list all types in one of them"
                : String.valueOf(ex.getMessage());
    }

    private static List<String> names(Class<?>[] types) {
        return Arrays.stream(types).map(Class::getSimpleName).toList();
    }

    /** Whether annotations make this method of a bean a retried one. */
    boolean isRetried(Class<?> beanClass, Method method) {
        if (ReflectionUtils.isObjectMethod(method) || method.isSynthetic()) {
            return false;
        }
        List<Method> all = hierarchy(beanClass).declarationsOf(method);
        if (all.stream().anyMatch(RetryDeclarations::isOptedOut)) {
            return false;
        }
        return all.stream().anyMatch(RetryDeclarations::isAnnotated)
                || (Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && hierarchy(beanClass).types().stream().anyMatch(RetryDeclarations::isAnnotated));
    }

    boolean isOptedOut(Class<?> beanClass, Method method) {
        return hierarchy(beanClass).declarationsOf(method).stream().anyMatch(RetryDeclarations::isOptedOut);
    }

    private static boolean isOptedOut(Method method) {
        return MergedAnnotations.from(method).isPresent(DoNotRetry.class);
    }

    /**
     * A bean's own and inherited methods that annotations may speak of, each in its most specific form. Sorted, for the
     * virtual machine gives them in any order and what is wrong with them is reported in this one.
     */
    static Set<Method> methodsOf(Class<?> beanClass) {
        Set<Method> methods =
                new TreeSet<>(Comparator.comparing(Method::getName).thenComparing(Method::toString));
        ReflectionUtils.doWithMethods(
                beanClass,
                method -> methods.add(
                        Modifier.isStatic(method.getModifiers())
                                ? method
                                : AopUtils.getMostSpecificMethod(method, beanClass)),
                method -> !method.isSynthetic() && method.getDeclaringClass() != Object.class);
        return methods;
    }
}

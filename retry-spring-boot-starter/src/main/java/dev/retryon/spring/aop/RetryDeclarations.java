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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
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

    /** Whether the annotation stands on the type itself: asked for every method that has none. */
    private final Map<Class<?>, Boolean> annotated = new ConcurrentHashMap<>();

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
            known = isTypeAnnotated(type)
                    || isAnyAnnotated(Arrays.asList(ReflectionUtils.getDeclaredMethods(type)), RetryOn.class);
            declaring.put(type, known);
        }
        return known;
    }

    private static boolean isAnnotated(AnnotatedElement element, Class<? extends Annotation> annotation) {
        return MergedAnnotations.from(element).isPresent(annotation);
    }

    /** Asked for the methods of every bean, mostly by an interpreter: a stream would be most of what it takes. */
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
     * The annotations that speak about a method: those on types, then those on the method and on what it overrides, the
     * weakest first.
     */
    List<MergedAnnotation<RetryOn>> on(Class<?> beanClass, Method method) {
        List<MergedAnnotation<RetryOn>> found = new ArrayList<>();
        TypeHierarchy hierarchy = hierarchy(beanClass);
        for (Class<?> type : hierarchy.types()) {
            found.addAll(on(type));
        }
        for (Method next : hierarchy.declarationsOf(method)) {
            found.addAll(on(next));
        }
        return found;
    }

    /** Whether an annotation stands on a method or on one that it overrides. */
    boolean isDeclared(Class<?> beanClass, Method method) {
        return isAnyAnnotated(hierarchy(beanClass).declarationsOf(method), RetryOn.class);
    }

    /** The annotations of one element in declaration order; of those within one annotation the nearer are stronger. */
    List<MergedAnnotation<RetryOn>> on(AnnotatedElement element) {
        if (!isAnnotated(element, RetryOn.class)) {
            return List.of();
        }
        try {
            List<MergedAnnotation<RetryOn>> found =
                    MergedAnnotations.from(element).stream(RetryOn.class).toList();
            return found.size() < 2 ? found : inOrder(found, element);
        } catch (AnnotationConfigurationException ex) {
            faults.add("@RetryOn on " + place(element), contradiction(element, ex));
            return List.of();
        }
    }

    private static List<MergedAnnotation<RetryOn>> inOrder(
            List<MergedAnnotation<RetryOn>> found, AnnotatedElement element) {
        List<Class<? extends Annotation>> order = new ArrayList<>();
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            order.add(annotation.annotationType());
        }
        List<MergedAnnotation<RetryOn>> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.<MergedAnnotation<RetryOn>>comparingInt(
                        next -> position(next.getRoot().getType(), order))
                .thenComparing(Comparator.comparingInt(MergedAnnotation<RetryOn>::getDistance)
                        .reversed()));
        return sorted;
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
        TypeHierarchy hierarchy = hierarchy(beanClass);
        List<Method> all = hierarchy.declarationsOf(method);
        boolean covered = isAnyAnnotated(all, RetryOn.class)
                || (Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && isAnyTypeAnnotated(hierarchy));
        return covered && !isAnyAnnotated(all, DoNotRetry.class);
    }

    private boolean isAnyTypeAnnotated(TypeHierarchy hierarchy) {
        for (Class<?> type : hierarchy.types()) {
            if (isTypeAnnotated(type)) {
                return true;
            }
        }
        return false;
    }

    private boolean isTypeAnnotated(Class<?> type) {
        return annotated.computeIfAbsent(type, unknown -> isAnnotated(unknown, RetryOn.class));
    }

    boolean isOptedOut(Class<?> beanClass, Method method) {
        return isAnyAnnotated(hierarchy(beanClass).declarationsOf(method), DoNotRetry.class);
    }

    /** A bean's own and inherited methods that annotations may speak of; see {@link #methodsOf(Class, Predicate)}. */
    static List<Method> methodsOf(Class<?> beanClass) {
        return methodsOf(beanClass, method -> true);
    }

    /**
     * Those of a bean's own and inherited methods that are wanted, each in its most specific form. Sorted, for the virtual
     * machine gives them in any order and what is wrong with them is reported in this one.
     */
    static List<Method> methodsOf(Class<?> beanClass, Predicate<Method> wanted) {
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
                method -> !method.isSynthetic() && method.getDeclaringClass() != Object.class);
        List<Method> sorted = new ArrayList<>(methods);
        sorted.sort(Comparator.comparing(Method::getName).thenComparing(Method::toString));
        return sorted;
    }
}

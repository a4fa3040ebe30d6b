/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.check;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationFilter;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;

/** Warns of methods that another library retries too: their attempts multiply. Thread-safe. */
public final class OtherLibraries {

    private static final List<Library> LIBRARIES = List.of(
            new Library(
                    "Spring Framework's @Retryable",
                    "org.springframework.resilience.annotation.Retryable",
                    "org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor"),
            new Library(
                    "spring-retry's @Retryable",
                    "org.springframework.retry.annotation.Retryable",
                    "org.springframework.retry.annotation.RetryConfiguration"),
            new Library(
                    "Resilience4j's @Retry",
                    "io.github.resilience4j.retry.annotation.Retry",
                    "io.github.resilience4j.spring6.retry.configure.RetryAspect"));

    /** Ours may be contradictory, which is reported elsewhere. */
    private static final AnnotationFilter NOT_OURS = AnnotationFilter.packages("java.lang", "dev.retryon");

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryFaults faults;

    private final Map<Library, Boolean> active = new ConcurrentHashMap<>();

    public OtherLibraries(ConfigurableListableBeanFactory beanFactory, RetryFaults faults) {
        this.beanFactory = beanFactory;
        this.faults = faults;
    }

    /** Warns if an annotation of a library that is active stands on a retried method or its class. */
    public void check(Class<?> beanClass, Method method) {
        for (Library library : LIBRARIES) {
            // To look for annotations takes longer, and mostly no other library is active.
            if (isActive(library) && isAnnotated(beanClass, method, library.annotation())) {
                faults.warn(
                        RetryWarning.OTHER_RETRY,
                        SettingSource.name(method) + " is retried by RetryOn and by " + library.name()
                                + ", so their attempts multiply: 3 and 3 make 9; let only one of them retry it");
            }
        }
    }

    private static boolean isAnnotated(Class<?> beanClass, Method method, String annotation) {
        return isPresent(method, annotation) || isPresent(beanClass, annotation);
    }

    private static boolean isPresent(AnnotatedElement element, String name) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.none(), NOT_OURS)
                .stream()
                .anyMatch(found -> found.getType().getName().equals(name));
    }

    private boolean isActive(Library library) {
        Boolean known = active.get(library);
        if (known == null) {
            known = hasBean(library);
            active.put(library, known);
        }
        return known;
    }

    private boolean hasBean(Library library) {
        ClassLoader classLoader = beanFactory.getBeanClassLoader();
        if (!ClassUtils.isPresent(library.bean(), classLoader)) {
            return false;
        }
        Class<?> type = ClassUtils.resolveClassName(library.bean(), classLoader);
        return beanFactory.getBeanNamesForType(type, true, false).length > 0;
    }

    /**
     * A library that retries methods.
     *
     * @param name what people call it
     * @param annotation its annotation
     * @param bean a bean that there is only where it is active
     */
    private record Library(String name, String annotation, String bean) {}
}

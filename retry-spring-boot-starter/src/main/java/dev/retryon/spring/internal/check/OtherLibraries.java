// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.LookUp;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationFilter;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;

/** Warns of methods that another library retries too: their attempts multiply. Thread-safe. */
final class OtherLibraries {

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
                    "io.github.resilience4j.spring6.retry.configure.RetryAspect"),
            new Library(
                    "Spring Kafka's @RetryableTopic",
                    "org.springframework.kafka.annotation.RetryableTopic",
                    "org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor"));

    /** RetryOn's annotations are left out, because contradictions in them are reported elsewhere. */
    private static final AnnotationFilter NOT_OURS = AnnotationFilter.packages("java.lang", "dev.retryon");

    private final RetryFaults faults;

    /** Most applications have no other library, and searching for annotations takes longer. */
    private final Supplier<List<Library>> active;

    OtherLibraries(ConfigurableListableBeanFactory beanFactory, RetryFaults faults) {
        this.faults = faults;
        this.active = new LookUp<>(() -> LIBRARIES.stream()
                .filter(library -> library.isActive(beanFactory))
                .toList());
    }

    /** Warns if a retried method or its class has an annotation of a library that is active. */
    void check(Class<?> beanClass, Method method) {
        for (Library library : active.get()) {
            if (isPresent(method, library.annotation()) || isPresent(beanClass, library.annotation())) {
                faults.warn(
                        RetryWarning.OTHER_RETRY,
                        SettingSource.name(method) + " is retried by RetryOn and by " + library.name()
                                + ", so their attempts multiply: 3 and 3 make 9; let only one of them retry it");
            }
        }
    }

    private static boolean isPresent(AnnotatedElement element, String name) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.none(), NOT_OURS)
                .stream()
                .anyMatch(found -> found.getType().getName().equals(name));
    }

    /** @param bean the class of a bean that exists only if the library is active */
    private record Library(String name, String annotation, String bean) {

        boolean isActive(ConfigurableListableBeanFactory beanFactory) {
            ClassLoader classLoader = beanFactory.getBeanClassLoader();
            return ClassUtils.isPresent(bean, classLoader)
                    && beanFactory.getBeanNamesForType(ClassUtils.resolveClassName(bean, classLoader), true, false)
                                    .length
                            > 0;
        }
    }
}

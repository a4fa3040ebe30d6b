// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.SettingSource;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Another library that retries methods. {@code bean} is the class of a bean that exists only if the library is active. */
record OtherLibrary(String name, String annotation, String bean) {

    private static final List<OtherLibrary> ALL = List.of(
            new OtherLibrary(
                    "Spring Framework's @Retryable",
                    "org.springframework.resilience.annotation.Retryable",
                    "org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor"),
            new OtherLibrary(
                    "spring-retry's @Retryable",
                    "org.springframework.retry.annotation.Retryable",
                    "org.springframework.retry.annotation.RetryConfiguration"),
            new OtherLibrary(
                    "Resilience4j's @Retry",
                    "io.github.resilience4j.retry.annotation.Retry",
                    "io.github.resilience4j.spring6.retry.configure.RetryAspect"),
            new OtherLibrary(
                    "Spring Kafka's @RetryableTopic",
                    "org.springframework.kafka.annotation.RetryableTopic",
                    "org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor"));

    /** Returns the active libraries. Most applications have none, and searching for annotations takes longer. */
    static List<OtherLibrary> in(ConfigurableListableBeanFactory beanFactory) {
        return ALL.stream().filter(library -> library.isActive(beanFactory)).toList();
    }

    private boolean isActive(ConfigurableListableBeanFactory beanFactory) {
        ClassLoader classLoader = beanFactory.getBeanClassLoader();
        return ClassUtils.isPresent(bean, classLoader)
                && beanFactory.getBeanNamesForType(ClassUtils.resolveClassName(bean, classLoader), true, false).length
                        > 0;
    }

    void check(Class<?> beanClass, Method method, RetryFaults faults) {
        if (isOn(method) || isOn(beanClass)) {
            faults.warn(
                    RetryWarning.OTHER_RETRY,
                    SettingSource.name(method) + " is retried by RetryOn and by " + name
                            + ", so their attempts multiply (3 × 3 = 9); let only one of them retry it");
        }
    }

    private boolean isOn(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
    }
}

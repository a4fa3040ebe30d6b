// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the generated beans of an application are annotated with, and what the application needs for it. */
public enum BeanSet {
    /** No annotation, and no retry library in sight. */
    NONE(null, Enabling.Nothing.class),

    /** No annotation, but RetryOn is there and looks at every bean. */
    UNRETRIED(null, Enabling.Nothing.class, "retry-core", "retry-spring-boot-starter"),

    /** An advice that only proceeds, and no retry library. */
    EMPTY("empty", Enabling.Empty.class),

    /** RetryOn. */
    RETRY_ON("retryOn", Enabling.Nothing.class, "retry-core", "retry-spring-boot-starter"),

    /** RetryOn with its meters. */
    RETRY_ON_METRICS("retryOn", Enabling.Nothing.class, "retry-core", "retry-spring-boot-starter"),

    /** Spring Framework's own annotation. */
    SPRING("spring", Enabling.Resilient.class),

    /** spring-retry. */
    SPRING_RETRY("springRetry", Enabling.SpringRetry.class, "spring-retry"),

    /** Resilience4j's Boot starter. */
    RESILIENCE4J("resilience4j", Enabling.Nothing.class, "resilience4j");

    private final @Nullable String template;

    private final Class<?> configuration;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> libraries;

    BeanSet(@Nullable String template, Class<?> configuration, String... libraries) {
        this.template = template;
        this.configuration = configuration;
        this.libraries = List.of(libraries);
    }

    boolean hasMetrics() {
        return this == RETRY_ON_METRICS;
    }

    Class<?> configuration() {
        return configuration;
    }

    /**
     * Whether the beans have to be proxies.
     *
     * @return {@code false} if nothing advises them
     */
    public boolean isAdvised() {
        return template != null;
    }

    List<Annotation> annotations() {
        return Arrays.stream(Templates.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(template))
                .map(Method::getAnnotations)
                .flatMap(Arrays::stream)
                .toList();
    }

    /**
     * Whether a library can be on the class path of an application with these beans.
     *
     * @param file the name of the library's file
     * @return {@code false} if it is a retry library that they do not use
     */
    public boolean admits(String file) {
        return Arrays.stream(values()).flatMap(set -> set.libraries.stream()).noneMatch(file::startsWith)
                || libraries.stream().anyMatch(file::startsWith);
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** How many classes of the starter depend on each other in circles, nested classes counted with the outer one. */
class ClassKnotsTests {

    private static final int LARGEST_KNOT = 8;

    @Test
    void noKnotOfClassesIsLarge() {
        Map<String, Set<String>> reached = new TreeMap<>();
        Map<String, Set<String>> dependencies = dependencies();
        dependencies.keySet().forEach(type -> reached.put(type, reachedFrom(type, dependencies)));

        assertThat(reached).hasSizeGreaterThan(100);
        reached.forEach((type, targets) -> assertThat(
                        targets.stream().filter(target -> reached.get(target).contains(type)))
                .as("the classes that depend on " + type + " and that it depends on, with itself")
                .hasSizeLessThanOrEqualTo(LARGEST_KNOT));
    }

    private static Set<String> reachedFrom(String type, Map<String, Set<String>> dependencies) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(Set.of(type));
        while (!next.isEmpty()) {
            for (String target : dependencies.getOrDefault(next.pop(), Set.of())) {
                if (reached.add(target)) {
                    next.push(target);
                }
            }
        }
        return reached;
    }

    private static Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> dependencies = new TreeMap<>();
        for (JavaClass type : new ClassFileImporter()
                .importUrl(RetryOn.class.getProtectionDomain().getCodeSource().getLocation())) {
            Set<String> targets = dependencies.computeIfAbsent(outermost(type), name -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> outermost(dependency.getTargetClass().getBaseComponentType()))
                    .filter(target -> target.startsWith(RetryOn.class.getPackageName() + "."))
                    .filter(target -> !target.equals(outermost(type)))
                    .forEach(targets::add);
        }
        return dependencies;
    }

    private static String outermost(JavaClass type) {
        return type.getName().split("\\$", 2)[0];
    }
}

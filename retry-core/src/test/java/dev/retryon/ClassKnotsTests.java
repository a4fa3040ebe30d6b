/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which classes of the core know each other. */
class ClassKnotsTests {

    /** A class can be understood alone only if those that it depends on, directly or not, do not depend on it in turn. */
    private static final int LARGEST_KNOT = 8;

    private final JavaClasses core = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.retryon");

    @Test
    void noKnotOfClassesIsLarge() {
        assertThat(Knots.of(dependencies()))
                .allSatisfy(knot -> assertThat(knot).hasSizeLessThanOrEqualTo(LARGEST_KNOT));
    }

    /** Outer classes and what they depend on; nested classes are part of their outer class. */
    private Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> dependencies = new TreeMap<>();
        for (JavaClass type : core) {
            Set<String> targets = dependencies.computeIfAbsent(outermost(type), name -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(target -> target.getPackageName().startsWith("dev.retryon"))
                    .map(ClassKnotsTests::outermost)
                    .forEach(targets::add);
        }
        dependencies.forEach((name, targets) -> targets.remove(name));
        return dependencies;
    }

    private static String outermost(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    @Test
    void theDecisionKnowsNobodyWhoDrivesCalls() {
        noClasses()
                .that()
                .haveSimpleName("RetryDecision")
                .or()
                .haveSimpleName("RetryCall")
                .or()
                .haveSimpleName("CallEnd")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("dev\\.retryon\\.(Retry|BlockingRetry|Async.*|AttemptLimit|LimitedStage|Trampoline)")
                .check(core);
    }

    @Test
    void eventsFailuresAndHistoriesKnowNoLiveCall() {
        noClasses()
                .that()
                .areAssignableTo(RetryEvent.class)
                .or()
                .areAssignableTo(RetryFailure.class)
                .or()
                .areAssignableTo(RetryHistory.class)
                .or()
                .areAssignableTo(RetryResult.class)
                .should()
                .dependOnClassesThat()
                .haveNameMatching("dev\\.retryon\\.(RetryCall|CallSettings|CallEnd|RetryEngine|RetryContext)")
                .check(core);
    }

    @Test
    void policiesAndMatchersKnowNeitherEngineNorCall() {
        noClasses()
                .that()
                .haveNameMatching("dev\\.retryon\\.(RetryPolicy.*|FailureMatcher|ErrorChain|ErrorCodes)")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("dev\\.retryon\\.(RetryEngine|Retry|RetryCall|CallSettings)")
                .check(core);
    }

    @Test
    void onlyWhoDrivesCallsKnowsHowTheyEnd() {
        classes()
                .that()
                .haveSimpleName("CallEnd")
                .should()
                .onlyHaveDependentClassesThat()
                .haveNameMatching("dev\\.retryon\\.(CallEnd|BlockingRetry|Async.*|QueuedStep|DefaultRetrySpi)(\\$.*)?")
                .check(core);
    }

    /** Strongly connected components of more than one class, by Tarjan's algorithm. */
    private static final class Knots {

        private final Map<String, Set<String>> graph;

        private final Map<String, Integer> index = new HashMap<>();

        private final Map<String, Integer> low = new HashMap<>();

        private final Deque<String> stack = new ArrayDeque<>();

        private final List<Set<String>> found = new ArrayList<>();

        private Knots(Map<String, Set<String>> graph) {
            this.graph = graph;
        }

        static Collection<Set<String>> of(Map<String, Set<String>> graph) {
            Knots knots = new Knots(graph);
            for (String node : graph.keySet()) {
                if (!knots.index.containsKey(node)) {
                    knots.visit(node);
                }
            }
            return knots.found;
        }

        private void visit(String node) {
            index.put(node, index.size());
            low.put(node, index.get(node));
            stack.push(node);
            for (String target : graph.getOrDefault(node, Set.of())) {
                if (!index.containsKey(target)) {
                    visit(target);
                    low.merge(node, low.get(target), Math::min);
                } else if (stack.contains(target)) {
                    low.merge(node, index.get(target), Math::min);
                }
            }
            if (low.get(node).equals(index.get(node))) {
                Set<String> knot = new TreeSet<>();
                String last;
                do {
                    last = stack.pop();
                    knot.add(last);
                } while (!last.equals(node));
                if (knot.size() > 1) {
                    found.add(knot);
                }
            }
        }
    }
}

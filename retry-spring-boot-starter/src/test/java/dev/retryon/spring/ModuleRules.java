/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The rules that apply to the starter and to each module above it. Each module extends this class in its tests. */
@TestInstance(Lifecycle.PER_CLASS) // reads the classes once
public abstract class ModuleRules {

    private static final String STARTER = "dev.retryon.spring";

    /** No two of these modules know each other. */
    private static final List<String> ABOVE_THE_STARTER =
            List.of("dev.retryon.durable", "dev.retryon.http", "dev.retryon.dashboard", "dev.retryon.aspects");

    private static final int LARGEST_KNOT = 8;

    private final String root;

    private final JavaClasses module;

    /**
     * Reads the classes of a module, without its tests.
     *
     * @param root the API package, which contains all other packages of the module
     */
    protected ModuleRules(String root) {
        assertThat(ABOVE_THE_STARTER.contains(root) || root.equals(STARTER))
                .as("ModuleRules lists " + root)
                .isTrue();
        this.root = root;
        this.module = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(root);
    }

    /**
     * Returns the classes of the module.
     *
     * @return all of them, for rules that apply to one module only
     */
    protected final JavaClasses module() {
        return module;
    }

    @Test
    void knowsNoOtherModuleThanTheStarterAndTheCore() {
        String[] others = ABOVE_THE_STARTER.stream()
                .filter(other -> !other.equals(root))
                .map(other -> other + "..")
                .toArray(String[]::new);

        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .because("a module knows only the modules that it is built on")
                .check(module);
    }

    /** The API may know internal packages, because its types delegate to them. Only internal packages are compared. */
    @Test
    void internalPackagesHaveNoCycles() {
        slices().matching(root + ".internal.(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(module);
    }

    @Test
    void noOtherPackageKnowsTheWiring() {
        noClasses()
                .that()
                .resideOutsideOfPackage(root + ".autoconfigure..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.retryon..autoconfigure..")
                .check(module);
    }

    @Test
    void autoConfigurationsAreFinalAndInOnePackage() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .haveModifier(JavaModifier.FINAL)
                .andShould()
                .resideInAPackage(root + ".autoconfigure")
                .check(module);
    }

    @Test
    void beanMethodsArePackagePrivate() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .bePackagePrivate()
                .check(module);
    }

    @Test
    void postProcessorBeansAreStatic() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .and(DescribedPredicate.describe(
                        "create a post-processor", (JavaMethod method) -> isPostProcessor(method.getRawReturnType())))
                .should()
                .beStatic()
                .because("otherwise Spring creates their configuration class before it can be processed")
                .allowEmptyShould(true)
                .check(module);
    }

    private static boolean isPostProcessor(JavaClass type) {
        return type.isAssignableTo(BeanPostProcessor.class) || type.isAssignableTo(BeanFactoryPostProcessor.class);
    }

    @Test
    void propertiesAreForTheWiringAlone() {
        classes()
                .that()
                .areAnnotatedWith(ConfigurationProperties.class)
                .should()
                .resideInAPackage(root + ".autoconfigure")
                .andShould()
                .notBePublic()
                .allowEmptyShould(true)
                .check(module);
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<JavaPackage> packages = module.stream().map(JavaClass::getPackage).collect(Collectors.toSet());

        assertThat(packages).extracting(JavaPackage::getName).contains(root + ".autoconfigure");
        assertThat(packages)
                .allSatisfy(each -> assertThat(each.isAnnotatedWith(NullMarked.class))
                        .as(each.getName())
                        .isTrue());
    }

    @Test
    void noClassHasANameWithoutMeaning() {
        noClasses().should().haveNameMatching(".*(Utils|Helper|Manager|Impl)").check(module);
    }

    /** Classes that all depend on each other, directly or not, are a knot. Nested classes count as their outer class. */
    @Test
    void noKnotOfClassesIsLarge() {
        Map<String, Set<String>> reached = new TreeMap<>();
        Map<String, Set<String>> dependencies = dependencies();
        dependencies.keySet().forEach(type -> reached.put(type, reachedFrom(type, dependencies)));

        assertThat(reached).isNotEmpty();
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

    private Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> dependencies = new TreeMap<>();
        for (JavaClass type : module) {
            Set<String> targets = dependencies.computeIfAbsent(outermost(type), name -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> outermost(dependency.getTargetClass().getBaseComponentType()))
                    .filter(target -> target.startsWith(root + "."))
                    .filter(target -> !target.equals(outermost(type)))
                    .forEach(targets::add);
        }
        return dependencies;
    }

    private static String outermost(JavaClass type) {
        return type.getName().split("\\$", 2)[0];
    }
}

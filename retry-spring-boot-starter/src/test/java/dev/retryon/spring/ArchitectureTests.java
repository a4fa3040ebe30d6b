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
import dev.retryon.spring.method.MethodUpdates;
import dev.retryon.spring.method.OtherRetry;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.method.RetriedMethods;
import dev.retryon.spring.settings.LookUp;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.util.function.SingletonSupplier;

/** The house rules of the starter, as far as classes show them. */
class ArchitectureTests {

    private static final String ROOT = "dev.retryon.spring";

    private final JavaClasses starter = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void whatUsersTypeKnowsOnlyTheSettings() {
        noClasses()
                .that()
                .resideInAPackage(ROOT)
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are in another package of the starter than settings",
                        type -> type.getPackageName().startsWith(ROOT + ".")
                                && !type.getPackageName().equals(ROOT + ".settings")))
                .check(starter);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.retryon.(**)").should().beFreeOfCycles().check(starter);
    }

    @Test
    void nobodyKnowsTheWiring() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".autoconfigure..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".autoconfigure..")
                .check(starter);
    }

    @Test
    void retriesKnowNothingOfThoseWhoWatchThem() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT,
                        ROOT + ".aop..",
                        ROOT + ".control..",
                        ROOT + ".expression..",
                        ROOT + ".method..",
                        ROOT + ".settings..",
                        ROOT + ".style..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        ROOT + ".observe..",
                        ROOT + ".actuate..",
                        "io.micrometer.core..",
                        "io.micrometer.observation..",
                        "org.springframework.boot.actuate..")
                .check(starter);
    }

    @Test
    void onlyTheWiringKnowsTheProxy() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".aop..", ROOT + ".autoconfigure..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".aop..")
                .check(starter);
    }

    @Test
    void whatHoldsForAMethodKnowsOnlySettingsAndExpressions() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".method..")
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are in another package of the starter than settings and expression",
                        type -> type.getPackageName().startsWith(ROOT + ".")
                                && !Set.of(ROOT + ".method", ROOT + ".settings", ROOT + ".expression")
                                        .contains(type.getPackageName())))
                .check(starter);
    }

    @Test
    void operatorsReachMethodsThroughOneClass() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".control..")
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are in another package of the starter than settings, other than MethodUpdates and the registry"
                                + " of retries",
                        type -> type.getPackageName().startsWith(ROOT + ".")
                                && !Set.of(ROOT + ".control", ROOT + ".settings")
                                        .contains(type.getPackageName())
                                && !Set.of(
                                                MethodUpdates.class,
                                                MethodUpdates.Update.class,
                                                RetriedMethods.class,
                                                RetriedMethod.class,
                                                OtherRetry.class)
                                        .stream()
                                        .anyMatch(type::isEquivalentTo)))
                .check(starter);
    }

    /** A thread that makes a bean may wait for the lock of one that looks up a bean, and that one for the bean factory's. */
    @Test
    void noLockIsHeldWhileBeansAreLookedUp() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(SingletonSupplier.class)
                .because("it locks while its supplier runs; LookUp does not")
                .check(starter);
        noClasses()
                .that(DescribedPredicate.describe(
                        "compute values inside a map's lock",
                        type -> type.getMethodCallsFromSelf().stream()
                                .anyMatch(call -> call.getTarget().getName().startsWith("compute")
                                        && call.getTargetOwner().isAssignableTo(Map.class))))
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "look up beans",
                        type -> type.isAssignableTo(BeanFactory.class)
                                || type.isAssignableTo(ObjectProvider.class)
                                || type.isEquivalentTo(LookUp.class)))
                .check(starter);
    }

    @Test
    void autoConfigurationsAreFinalAndInOnePackage() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .haveModifier(JavaModifier.FINAL)
                .andShould()
                .resideInAPackage(ROOT + ".autoconfigure..")
                .check(starter);
    }

    @Test
    void beanMethodsArePackagePrivate() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .bePackagePrivate()
                .check(starter);
    }

    @Test
    void postProcessorBeansAreStatic() {
        // Else their configuration class, and what it depends on, would be made before it could be processed.
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .and(DescribedPredicate.describe(
                        "make a post-processor", (JavaMethod method) -> isPostProcessor(method.getRawReturnType())))
                .should()
                .beStatic()
                .allowEmptyShould(true)
                .check(starter);
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
                .resideInAPackage(ROOT + ".autoconfigure..")
                .andShould()
                .notBePublic()
                .check(starter);
    }

    @Test
    void noClassHasANameThatSaysNothing() {
        noClasses().should().haveNameMatching(".*(Utils|Helper|Manager|Impl)").check(starter);
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<JavaPackage> packages = starter.stream().map(JavaClass::getPackage).collect(Collectors.toSet());

        assertThat(packages)
                .extracting(JavaPackage::getName)
                .contains(ROOT, ROOT + ".aop", ROOT + ".method", ROOT + ".autoconfigure");
        assertThat(packages)
                .allSatisfy(each -> assertThat(each.isAnnotatedWith(NullMarked.class))
                        .as(each.getName())
                        .isTrue());
    }
}

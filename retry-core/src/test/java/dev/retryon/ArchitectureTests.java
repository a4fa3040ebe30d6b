/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** How the house is built. */
class ArchitectureTests {

    private final JavaClasses core = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.retryon");

    @Test
    void coreKnowsNothingButTheJdkAndItsNullAnnotations() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.retryon..", "java..", "org.jspecify.annotations")
                .check(core);
    }

    @Test
    void packagesHaveNoCycles() {
        // The SPI is made of the root's types, and the root calls it: the two are one API for two kinds of readers.
        slices().matching("dev.(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(resideInAPackage("dev.retryon"), resideInAPackage("dev.retryon.spi"))
                .check(core);
    }

    @Test
    void theSpiDependsOnTheRootAlone() {
        noClasses()
                .that()
                .resideInAPackage("dev.retryon.spi")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.retryon.backoff..", "dev.retryon.budget..", "dev.retryon.deadletter..")
                .check(core);
    }

    @Test
    void packagesBelowTheRootDoNotKnowIt() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.retryon.backoff..", "dev.retryon.budget..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.retryon")
                .check(core);
    }

    @Test
    void noClassHasANameThatSaysNothing() {
        noClasses().should().haveNameMatching(".*(Utils|Helper|Manager|Impl)").check(core);
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<JavaPackage> packages = core.stream().map(JavaClass::getPackage).collect(Collectors.toSet());

        assertThat(packages)
                .extracting(JavaPackage::getName)
                .contains("dev.retryon", "dev.retryon.backoff", "dev.retryon.budget");
        assertThat(packages)
                .allSatisfy(each -> assertThat(each.isAnnotatedWith(NullMarked.class))
                        .as(each.getName())
                        .isTrue());
    }

    @Test
    void publicClassesAreFinalOrMadeToBeExtended() {
        // What is neither final, abstract nor an interface is an exception that users may extend.
        classes()
                .that()
                .arePublic()
                .and()
                .areNotInterfaces()
                .and()
                .areNotAssignableTo(Throwable.class)
                .should()
                .haveModifier(JavaModifier.FINAL)
                .orShould()
                .haveModifier(JavaModifier.ABSTRACT)
                .check(core);
    }
}

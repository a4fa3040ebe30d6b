// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import dev.retryon.support.ModuleRules;
import org.junit.jupiter.api.Test;

/** The rules of packages and classes in the core. */
class ArchitectureTests extends ModuleRules {

    @Test
    void coreKnowsNothingButTheJdkAndItsNullAnnotations() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.retryon..", "java..", "org.jspecify.annotations")
                .check(module());
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.(**)").should().beFreeOfCycles().check(module());
    }

    /** The root package has many classes. Some of them can be read without those that run calls. */
    @Test
    void classesOfTheRootPackageKnowEachOtherInOneDirection() {
        doNotKnow("RetryPolicy.*|FailureMatcher|ErrorChain", "RetryEngine|Retry|RetryCall|CallSettings");
        doNotKnow(
                "RetryDecision|RetryCall|CallEnd", "Retry|BlockingRetry|Async.*|AttemptLimit|LimitedStage|Trampoline");
        doNotKnow(
                "Retry(Event|Scheduled|Succeeded|Failed|Failure|History|Result)|DeadLettered",
                "RetryCall|CallSettings|CallEnd|RetryEngine|RetryContext");
    }

    private void doNotKnow(String names, String others) {
        noClasses()
                .that()
                .haveNameMatching("dev\\.retryon\\.(" + names + ")")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("dev\\.retryon\\.(" + others + ")")
                .check(module());
    }
}

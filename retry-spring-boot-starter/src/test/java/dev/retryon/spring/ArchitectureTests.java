// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import dev.retryon.spring.module.LookUp;
import dev.retryon.support.SpringModuleRules;
import java.io.File;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;
import org.w3c.dom.NodeList;

/** The rules of packages and classes in the starter. */
class ArchitectureTests extends SpringModuleRules {

    /** All packages below {@code dev.retryon.spring.internal}. */
    private static final List<String> INTERNAL = List.of(
            "actuate",
            "aop",
            "aot",
            "check",
            "control",
            "declaration",
            "expression",
            "observe",
            "policy",
            "properties",
            "report",
            "scope",
            "settings",
            "style");

    ArchitectureTests() {
        super("dev.retryon.spring");
    }

    @Test
    void theStarterWorksWithoutADatabase() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "java.sql..",
                                "javax.sql..",
                                "org.springframework.jdbc..",
                                "org.springframework.boot.jdbc..",
                                "com.github.kagkarlsson..",
                                "com.zaxxer..",
                                "dev.retryon.durable..",
                                "dev.retryon.dashboard..")
                        .and(not(assignableTo(SQLException.class))))
                .because("the starter may only know the exceptions of the JDK")
                .check(module());
    }

    @Test
    void theStarterBringsOnlyTheCoreAndSpring() throws Exception {
        var pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new File("pom.xml"));
        var names = (NodeList) XPathFactory.newInstance()
                .newXPath()
                .evaluate(
                        "/project/dependencies/dependency[not(optional='true') and not(scope='test')]/artifactId",
                        pom,
                        XPathConstants.NODESET);

        assertThat(IntStream.range(0, names.getLength())
                        .mapToObj(i -> names.item(i).getTextContent()))
                .containsExactly(
                        "retry-core",
                        "spring-boot-starter",
                        "spring-boot-autoconfigure",
                        "spring-boot-starter-aspectj");
    }

    @Test
    void packagesKnowEachOtherInOneDirection() {
        String internal = "dev.retryon.spring.internal.";
        LayeredArchitecture packages = layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("api")
                .definedBy("dev.retryon.spring")
                .layer("autoconfigure")
                .definedBy("dev.retryon.spring.autoconfigure");
        for (String name : INTERNAL) {
            packages = packages.layer(name).definedBy(internal + name);
        }

        // The package for modules has interfaces that others implement, and types that all use.
        packages.whereLayer("api")
                .mayOnlyAccessLayers("settings", "report", "scope")
                .whereLayer("properties")
                .mayOnlyAccessLayers("api", "settings", "report")
                .whereLayer("declaration")
                .mayOnlyAccessLayers("api", "settings", "report", "expression")
                .whereLayer("policy")
                .mayOnlyAccessLayers("api", "settings", "report", "expression", "declaration")
                .whereLayer("control")
                .mayOnlyAccessLayers("api", "settings", "report", "policy")
                .whereLayer("aop")
                .mayOnlyBeAccessedByLayers("autoconfigure")
                .whereLayer("check")
                .mayOnlyBeAccessedByLayers("autoconfigure")
                .whereLayer("observe")
                .mayOnlyBeAccessedByLayers("actuate", "aot", "autoconfigure")
                .whereLayer("actuate")
                .mayOnlyBeAccessedByLayers("observe", "aot", "autoconfigure")
                .check(module());
    }

    @Test
    void retriesDoNotKnowTheirObservers() {
        noClasses()
                .that()
                .resideOutsideOfPackages("..autoconfigure", "..observe", "..actuate", "..aot", "..module")
                .and()
                .doNotBelongToAnyOf(RetryObservationEvent.class) // the API for observers
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.micrometer.core..", "io.micrometer.observation..", "org.springframework.boot.actuate..")
                .check(module());
    }

    /** One thread might create a bean and wait for a lock while the owner of that lock waits for the bean factory. */
    @Test
    void noLockIsOwnedWhileBeansAreLookedUp() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(SingletonSupplier.class)
                .because("it locks while its supplier runs; LookUp does not")
                .check(module());
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
                .check(module());
    }
}

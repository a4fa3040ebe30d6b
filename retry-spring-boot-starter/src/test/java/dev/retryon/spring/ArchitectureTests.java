/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import dev.retryon.spring.internal.policy.MethodUpdates;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.policy.StandaloneRetries;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.LookUp;
import java.io.File;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
class ArchitectureTests extends ModuleRules {

    private static final String ROOT = "dev.retryon.spring";

    private static final String INTERNAL = ROOT + ".internal.";

    private static final String ACTUATE = INTERNAL + "actuate";

    private static final String AOP = INTERNAL + "aop";

    private static final String CHECK = INTERNAL + "check";

    private static final String CONTROL = INTERNAL + "control";

    private static final String DECLARATION = INTERNAL + "declaration";

    private static final String EXPRESSION = INTERNAL + "expression";

    private static final String OBSERVE = INTERNAL + "observe";

    private static final String POLICY = INTERNAL + "policy";

    private static final String PROPERTIES = INTERNAL + "properties";

    private static final String REPORT = INTERNAL + "report";

    private static final String SCOPE = INTERNAL + "scope";

    private static final String SETTINGS = INTERNAL + "settings";

    private static final String STYLE = INTERNAL + "style";

    ArchitectureTests() {
        super(ROOT);
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
    void theApiKnowsOnlyTheSettings() {
        noClasses()
                .that()
                .resideInAPackage(ROOT)
                .should()
                .dependOnClassesThat(areInPackagesOfTheStarterOtherThan(SETTINGS, REPORT, SCOPE))
                .check(module());
    }

    @Test
    void retriesDoNotKnowTheirObservers() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT,
                        AOP,
                        CHECK,
                        CONTROL,
                        DECLARATION,
                        EXPRESSION,
                        POLICY,
                        PROPERTIES,
                        REPORT,
                        SCOPE,
                        SETTINGS,
                        STYLE)
                .and()
                .doNotBelongToAnyOf(RetryObservationEvent.class, RetryTagsContributor.class) // the API for observers
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        OBSERVE,
                        ACTUATE,
                        "io.micrometer.core..",
                        "io.micrometer.observation..",
                        "org.springframework.boot.actuate..")
                .check(module());
    }

    @Test
    void onlyTheWiringKnowsTheProxy() {
        noClasses()
                .that()
                .resideOutsideOfPackages(AOP, ROOT + ".autoconfigure")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(AOP)
                .check(module());
    }

    @Test
    void policiesKnowOnlyDeclarationsSettingsAndExpressions() {
        noClasses()
                .that()
                .resideInAPackage(POLICY)
                .should()
                .dependOnClassesThat(
                        areInPackagesOfTheStarterOtherThan(POLICY, DECLARATION, SETTINGS, REPORT, EXPRESSION))
                .check(module());
    }

    @Test
    void declarationsAndPropertiesDoNotKnowPolicies() {
        noClasses()
                .that()
                .resideInAPackage(DECLARATION)
                .should()
                .dependOnClassesThat(areInPackagesOfTheStarterOtherThan(DECLARATION, SETTINGS, REPORT, EXPRESSION))
                .check(module());
        noClasses()
                .that()
                .resideInAPackage(PROPERTIES)
                .should()
                .dependOnClassesThat(areInPackagesOfTheStarterOtherThan(PROPERTIES, SETTINGS, REPORT))
                .check(module());
    }

    @Test
    void onlyTheWiringKnowsTheCheckOfBeans() {
        noClasses()
                .that()
                .resideOutsideOfPackages(CHECK, ROOT + ".autoconfigure")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(CHECK)
                .check(module());
    }

    @Test
    void operatorsReachMethodsThroughOneClass() {
        DescribedPredicate<JavaClass> registry = DescribedPredicate.describe(
                "MethodUpdates or the registry of retries",
                type -> Set.of(
                                MethodUpdates.class,
                                MethodUpdates.Update.class,
                                RetriedMethods.class,
                                RetriedMethod.class,
                                StandaloneRetries.class,
                                StandaloneRetry.class)
                        .stream()
                        .anyMatch(type::isEquivalentTo));

        noClasses()
                .that()
                .resideInAPackage(CONTROL)
                .should()
                .dependOnClassesThat(areInPackagesOfTheStarterOtherThan(CONTROL, SETTINGS, REPORT)
                        .and(DescribedPredicate.not(registry)))
                .check(module());
    }

    /** One thread may create a bean and wait for a lock while the owner of that lock waits for the bean factory. */
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

    @Test
    void noPackageHasMoreThan40Files() {
        assertThat(module().stream()
                        .filter(type -> !type.isNestedClass() && !type.isAnonymousClass())
                        .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting())))
                .isNotEmpty()
                .allSatisfy((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(40));
    }

    /** The root package is not counted. */
    private static DescribedPredicate<JavaClass> areInPackagesOfTheStarterOtherThan(String... allowed) {
        Set<String> names = Set.of(allowed);
        return DescribedPredicate.describe(
                "are in a package of the starter other than " + names,
                type -> type.getPackageName().startsWith(ROOT + ".") && !names.contains(type.getPackageName()));
    }
}

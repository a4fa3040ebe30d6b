// SPDX-License-Identifier: Apache-2.0
package dev.retryon.support;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass.Predicates;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules that apply to the starter and to each module above it. */
public abstract class SpringModuleRules extends ModuleRules {

    private static final String STARTER = "dev.retryon.spring";

    /** No two of these modules know each other. */
    private static final List<String> ABOVE_THE_STARTER =
            List.of("dev.retryon.durable", "dev.retryon.http", "dev.retryon.dashboard", "dev.retryon.aspects");

    private final String root;

    /**
     * Creates the rules of a module.
     *
     * @param root the API package, which contains all other packages of the module
     */
    protected SpringModuleRules(String root) {
        assertThat(ABOVE_THE_STARTER.contains(root) || root.equals(STARTER))
                .as("SpringModuleRules lists " + root)
                .isTrue();
        this.root = root;
    }

    @Test
    void knowsNoOtherModuleThanTheStarterAndTheCore() {
        String[] others = ABOVE_THE_STARTER.stream()
                .filter(other -> !other.equals(root))
                .map(other -> other + "..")
                .toArray(String[]::new);

        noClasses().should().dependOnClassesThat().resideInAnyPackage(others).check(module());
    }

    /** Only internal packages are compared, because types of the API delegate to them. */
    @Test
    void internalPackagesHaveNoCycles() {
        slices().matching(root + ".internal.(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(module());
    }

    @Test
    void noOtherPackageKnowsTheWiring() {
        noClasses()
                .that()
                .resideOutsideOfPackage(root + ".autoconfigure..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.retryon..autoconfigure..")
                .check(module());
    }

    @Test
    void postProcessorBeansAreStatic() {
        methods()
                .that()
                .areAnnotatedWith("org.springframework.context.annotation.Bean")
                .and()
                .haveRawReturnType(Predicates.assignableTo("org.springframework.beans.factory.config.BeanPostProcessor")
                        .or(Predicates.assignableTo(
                                "org.springframework.beans.factory.config.BeanFactoryPostProcessor")))
                .should()
                .beStatic()
                .because("otherwise Spring creates their configuration class before it can be processed")
                .allowEmptyShould(true)
                .check(module());
    }
}

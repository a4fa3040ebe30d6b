// SPDX-License-Identifier: Apache-2.0
package dev.retryon.support;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The rules that apply to every module. A module extends this class, or {@link SpringModuleRules}, in its tests. */
@TestInstance(Lifecycle.PER_CLASS) // reads the classes once
public abstract class ModuleRules {

    private final JavaClasses module = new ClassFileImporter().importPath(Path.of("target", "classes"));

    /** Returns the classes of the module, without those of its tests. */
    protected final JavaClasses module() {
        return module;
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<JavaPackage> packages = module.stream().map(JavaClass::getPackage).collect(Collectors.toSet());

        assertThat(packages)
                .isNotEmpty()
                .allMatch(each -> each.isAnnotatedWith("org.jspecify.annotations.NullMarked"), "is @NullMarked");
    }

    /** Modules use only the API of the starter and its package {@code module}. */
    @Test
    void usesNoInternalPackageOfTheStarter() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.retryon.spring..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.retryon.spring.internal..")
                .allowEmptyShould(true)
                .check(module());
    }
}

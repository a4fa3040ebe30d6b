// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.xml.tree.Xml;
import org.openrewrite.yaml.tree.Yaml;

/**
 * Moves {@code @Retry} of Resilience4j, the properties below {@code resilience4j.retry} and the dependency in {@code
 * pom.xml} to RetryOn. Circuit breakers and the other parts of Resilience4j stay.
 *
 * @since 0.1.0
 */
public final class MoveResilience4j extends ScanningRecipe<Resilience4jFound> {

    private static final String PACKAGE = "io.github.resilience4j.";

    private static final String RETRY = PACKAGE + "retry.annotation.Retry";

    /** The files that Spring Boot reads. */
    private static final Pattern SETTINGS = Pattern.compile("(application|bootstrap)(-.+)?\\.(properties|ya?ml)");

    /** The imports of code that configures an instance without properties. */
    private static final Pattern CONFIGURING = Pattern.compile(".+\\.(RetryConfig.*|\\*)");

    /** The files that override others if a profile is active. */
    private static final Pattern PROFILE = Pattern.compile(".+-.+\\.\\w+");

    /** Creates the recipe. */
    public MoveResilience4j() {}

    @Override
    public String getDisplayName() {
        return "Move Resilience4j's retries to RetryOn";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Retry` by `@RetryOn` with a policy, and the properties of the instances by those of policies with "
                + "the same meaning.";
    }

    @Override
    public Resilience4jFound getInitialValue(ExecutionContext context) {
        return new Resilience4jFound();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Resilience4jFound found) {
        TreeVisitor<?, ExecutionContext> code = found.scanning(PACKAGE, new JavaIsoVisitor<ExecutionContext>() {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
                found.hasJava();
                unit.getImports().forEach(imported -> scan(imported.getTypeName(), found));
                return super.visitCompilationUnit(unit, context);
            }

            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext context) {
                SourceFile source = getCursor().firstEnclosingOrThrow(SourceFile.class);
                ClassRule.of(declaration, RETRY, attributes -> {
                    found.later(() -> {
                        if (found.boot().isAbsent()) {
                            found.stays();
                        } else {
                            found.moves(source);
                        }
                    });
                    String policy = Resilience4jTranslator.policy(attributes);
                    if (policy == null) {
                        found.stays();
                    } else {
                        found.uses(policy);
                    }
                    return new Translation();
                });
                return super.visitClassDeclaration(declaration, context);
            }
        });
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof Properties.File file && isSettings(file.getSourcePath())) {
                    found.add(Resilience4jProperties.read(file), !isOverlay(file.getSourcePath()));
                } else if (tree instanceof Yaml.Documents documents && isSettings(documents.getSourcePath())) {
                    for (Yaml.Document document : documents.getDocuments()) {
                        Resilience4jPolicies policies = Resilience4jYaml.read(document);
                        found.add(policies, !isOverlay(documents.getSourcePath()) && !policies.isForAProfile());
                    }
                }
                return code.visit(tree, context);
            }
        };
    }

    private static void scan(String type, Resilience4jFound found) {
        boolean annotation = type.equals(RETRY) || type.equals(PACKAGE + "retry.annotation.*");
        boolean retries = type.startsWith(PACKAGE + "retry.") || type.startsWith(PACKAGE + "common.retry.");
        if (retries && !annotation) {
            // The code may need any of the settings.
            found.stays();
            if (CONFIGURING.matcher(type).matches()) {
                found.isConfiguredByCode();
            }
        } else if (type.startsWith(PACKAGE) && !annotation) {
            found.hasOtherParts();
        }
    }

    private static boolean isSettings(Path path) {
        return SETTINGS.matcher(path.getFileName().toString()).matches();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Resilience4jFound found) {
        Resilience4jTranslator translator = new Resilience4jTranslator(found);
        TreeVisitor<?, ExecutionContext> code = found.changing(
                () -> new AnnotationVisitor(
                        Set.of(RETRY),
                        declaration -> ClassRule.of(
                                declaration, RETRY, attributes -> found.refuse(translator.translate(attributes)))),
                pom -> Pom.change(pom, MoveResilience4j::isTheirs, !found.keepsDependency(), found.movesIn(pom)));
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof Properties.File file && isSettings(file.getSourcePath())) {
                    return Resilience4jProperties.change(file, !isOverlay(file.getSourcePath()), found);
                }
                if (tree instanceof Yaml.Documents documents && isSettings(documents.getSourcePath())) {
                    boolean alone = !isOverlay(documents.getSourcePath());
                    return documents.withDocuments(ListUtils.map(
                            documents.getDocuments(), document -> Resilience4jYaml.change(document, alone, found)));
                }
                return code.visit(tree, context);
            }
        };
    }

    private static boolean isTheirs(Xml.Tag dependency) {
        return dependency.getChildValue("groupId").orElse("").equals("io.github.resilience4j");
    }

    private static boolean isOverlay(Path path) {
        return PROFILE.matcher(path.getFileName().toString()).matches();
    }
}

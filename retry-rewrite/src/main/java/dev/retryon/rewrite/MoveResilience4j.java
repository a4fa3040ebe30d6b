/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
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

    /** The files that Spring Boot reads, and those of them that lie over others. */
    private static final Pattern SETTINGS = Pattern.compile("(application|bootstrap)(-.+)?\\.(properties|ya?ml)");

    /** The types of code that gives an instance other settings than the properties do. */
    private static final Pattern CONFIGURING = Pattern.compile(".+\\.(RetryConfig.*|\\*)");

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
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                found.moves().boot().look(tree);
                if (Found.usesInOtherLanguage(tree, PACKAGE)) {
                    found.isUsedByCode();
                    found.isConfiguredByCode();
                } else if (tree instanceof J.CompilationUnit unit) {
                    scan(unit, context, found);
                } else if (tree instanceof Properties.File file && isSettings(file.getSourcePath())) {
                    found.add(Resilience4jProperties.read(file), !isOverlay(file.getSourcePath()));
                    if (Resilience4jProperties.hasOtherParts(file)) {
                        found.hasOtherParts();
                    }
                } else if (tree instanceof Yaml.Documents documents && isSettings(documents.getSourcePath())) {
                    for (Yaml.Document document : documents.getDocuments()) {
                        found.add(Resilience4jYaml.read(document), isAlone(documents, document));
                        if (Resilience4jYaml.hasOtherParts(document)) {
                            found.hasOtherParts();
                        }
                    }
                }
                return tree;
            }
        };
    }

    private static void scan(J.CompilationUnit unit, ExecutionContext context, Resilience4jFound found) {
        for (J.Import imported : unit.getImports()) {
            String type = imported.getTypeName();
            boolean annotation = type.equals(RETRY) || type.equals(PACKAGE + "retry.annotation.*");
            boolean retries = type.startsWith(PACKAGE + "retry.") || type.startsWith(PACKAGE + "common.retry.");
            if (retries && !annotation) {
                found.isUsedByCode();
                if (CONFIGURING.matcher(type).matches()) {
                    found.isConfiguredByCode();
                }
            } else if (type.startsWith(PACKAGE) && !annotation) {
                found.hasOtherParts();
            }
        }
        found.hasJava();
        new JavaIsoVisitor<ExecutionContext>() {
            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext p) {
                ClassRule.of(declaration, RETRY, attributes -> {
                    found.moves().later(() -> {
                        if (found.moves().boot().isAbsent()) {
                            found.leavesAnnotation();
                        } else {
                            found.moves().moves(unit);
                        }
                    });
                    String policy = Resilience4jTranslator.policy(attributes);
                    if (policy == null) {
                        found.leavesAnnotation();
                    } else {
                        found.uses(policy);
                    }
                    return new Translation();
                });
                return super.visitClassDeclaration(declaration, p);
            }
        }.visit(unit, context);
    }

    private static boolean isSettings(Path path) {
        return SETTINGS.matcher(path.getFileName().toString()).matches();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Resilience4jFound found) {
        found.moves().complete();
        Resilience4jTranslator translator = new Resilience4jTranslator(found);
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof J.CompilationUnit unit) {
                    return new AnnotationVisitor(
                                    Set.of(RETRY),
                                    declaration -> ClassRule.of(
                                            declaration,
                                            RETRY,
                                            attributes -> found.moves().refuse(translator.translate(attributes))))
                            .visit(unit, context);
                }
                if (tree instanceof Properties.File file && isSettings(file.getSourcePath())) {
                    return Resilience4jProperties.change(file, !isOverlay(file.getSourcePath()), found);
                }
                if (tree instanceof Yaml.Documents documents && isSettings(documents.getSourcePath())) {
                    return documents.withDocuments(ListUtils.map(
                            documents.getDocuments(),
                            document -> Resilience4jYaml.change(document, isAlone(documents, document), found)));
                }
                if (tree instanceof Xml.Document document && Pom.isPom(document)) {
                    return Pom.change(
                            document,
                            dependency -> dependency
                                    .getChildValue("groupId")
                                    .orElse("")
                                    .equals("io.github.resilience4j"),
                            !found.keepsDependency(),
                            found.moves().movesIn(document));
                }
                return tree;
            }
        };
    }

    private static boolean isAlone(Yaml.Documents documents, Yaml.Document document) {
        return !isOverlay(documents.getSourcePath()) && !Resilience4jYaml.isForAProfile(document);
    }

    private static boolean isOverlay(Path path) {
        return PROFILE.matcher(path.getFileName().toString()).matches();
    }
}

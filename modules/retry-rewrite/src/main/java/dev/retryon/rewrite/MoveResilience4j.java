// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.Map;
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
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.xml.tree.Xml;
import org.openrewrite.yaml.tree.Yaml;

/**
 * Moves {@code @Retry} of Resilience4j, the properties below {@code resilience4j.retry} and the dependency to
 * RetryOn. Circuit breakers and the other parts of Resilience4j stay.
 *
 * @since 0.1.0
 */
public final class MoveResilience4j extends ScanningRecipe<Resilience4jFound> {

    static final String PACKAGE = "io.github.resilience4j.";

    private static final String RETRY = Library.RESILIENCE4J.annotation();

    /** A name of a setting in code or XML, not of a package. */
    private static final Pattern NAMED = Pattern.compile("(?<!\\.)resilience4j\\.retry\\.(instances|backends|configs)");

    /** Dependencies that bring in settings from a server. */
    private static final Pattern CLIENT = Pattern.compile(
            "spring-cloud-[\\w-]*(config|bootstrap|parameter-store|secrets-manager)|nacos-config|azure-appconfiguration");

    /** Comments on imports that stay in sources that use retries. */
    private static final Map<String, String> LEFT = Map.of(
            PACKAGE + "retry.RetryRegistry",
            "left as it is: it does not know methods with @RetryOn; use the bean dev.retryon.spring.RetryRegistry",
            PACKAGE + "core.registry.RegistryEventConsumer",
            "left as it is: it does not hear of methods with @RetryOn; write a bean of type dev.retryon.RetryListener");

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
        TreeVisitor<?, ExecutionContext> code = found.scanning(new JavaIsoVisitor<>() {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
                unit.getImports().forEach(imported -> scan(imported.getTypeName(), unit, found));
                return unit;
            }
        });
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof Properties.File file) {
                    found.add(file, 0, Resilience4jProperties.read(file));
                } else if (tree instanceof Yaml.Documents documents) {
                    int index = 0;
                    for (Yaml.Document document : documents.getDocuments()) {
                        found.add(documents, index++, Resilience4jYaml.read(document));
                    }
                } else if (tree instanceof SourceFile source) {
                    look(source, found);
                }
                return code.visit(tree, context);
            }
        };
    }

    private static void look(SourceFile source, Resilience4jFound found) {
        BuildFile build = BuildFile.of(source);
        if (build != null) {
            build.find(dependency -> CLIENT.matcher(dependency.getArtifactId()).find())
                    .ifPresent(client -> found.module(source).isSetBy(client.getArtifactId()));
        } else if ((source instanceof JavaSourceFile || source instanceof Xml.Document)
                && NAMED.matcher(source.printAll()).find()) {
            found.module(source).isSetBy("code that names these settings");
        }
    }

    private static void scan(String type, J.CompilationUnit unit, Resilience4jFound found) {
        if (type.endsWith(".RetryConfigCustomizer") || type.endsWith(".PropertySource")) {
            found.module(unit).isSetBy(type.substring(type.lastIndexOf('.') + 1));
        }
        if (type.startsWith(PACKAGE) && !type.equals(RETRY) && !type.equals(PACKAGE + "retry.annotation.*")) {
            found.uses(type);
        }
    }

    /** Whether a type belongs to the retries of Resilience4j. Code that names it may need any of the settings. */
    static boolean isRetry(String type) {
        return type.startsWith(PACKAGE + "retry.") || type.startsWith(PACKAGE + "common.retry.");
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Resilience4jFound found) {
        TreeVisitor<?, ExecutionContext> code = found.changing(
                (source, declaration) -> rule(declaration, found.module(source), found),
                () -> new Visitor(found),
                (build, context) -> {
                    BuildFile added = found.withStarter(build, context);
                    return found.keepsDependency() ? added : added.without("io.github.resilience4j", "*", context);
                });
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                boolean removed = !found.anythingStays();
                if (tree instanceof Properties.File file) {
                    return Resilience4jProperties.change(file, found.module(file), removed);
                }
                if (tree instanceof Yaml.Documents documents) {
                    return documents.withDocuments(ListUtils.map(
                            documents.getDocuments(),
                            (index, document) -> Resilience4jYaml.change(
                                    document, index, documents, found.module(documents), removed)));
                }
                return code.visit(tree, context);
            }
        };
    }

    private static ClassRule rule(
            J.ClassDeclaration declaration, Resilience4jFound.Module module, Resilience4jFound found) {
        Resilience4jTranslator translator = new Resilience4jTranslator(module);
        return ClassRule.of(declaration, Library.RESILIENCE4J, found.hierarchy(), attributes -> {
            Translation translation = found.refuse(translator.translate(attributes));
            found.later(() -> {
                if (!translation.isLeft()) {
                    module.moving().add(translator.policy(attributes));
                }
            });
            return translation;
        });
    }

    /** Changes one source. */
    private static final class Visitor extends AnnotationVisitor {

        Visitor(Found found) {
            super(Set.of(RETRY), null, found);
        }

        @Override
        public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
            J.CompilationUnit changed = super.visitCompilationUnit(unit, context);
            if (unit.getImports().stream().anyMatch(imported -> isRetry(imported.getTypeName()))) {
                doAfterVisit(new ImportMarks(LEFT, unit));
            }
            return changed;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.xml.tree.Xml;

/** The findings of a recipe in all sources, before it changes one. */
class Found {

    /** Projects with an annotation that moves; {@code null} for sources of no known project. */
    private final Set<@Nullable JavaProject> moving = new HashSet<>();

    private final Map<String, RecoverMethods.Form> forms = new HashMap<>();

    private final ContextUses contexts = new ContextUses();

    private final SpringBoot boot = new SpringBoot();

    private final List<Runnable> later = new ArrayList<>();

    private boolean staying;

    /** Leaves an annotation that RetryOn would not see. */
    Translation refuse(Translation translation) {
        if (boot.isAbsent()) {
            translation.leave("this project has no Spring Boot, and only its auto-configuration makes @RetryOn work");
        }
        return translation;
    }

    /** Looks at all sources and hands those in Java to another visitor. */
    TreeVisitor<?, ExecutionContext> scanning(String packagePrefix, TreeVisitor<?, ExecutionContext> java) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                boot.look(tree);
                if (isInOtherLanguage(tree, packagePrefix)) {
                    isUsedInOtherLanguage();
                } else if (tree instanceof J.CompilationUnit) {
                    java.visit(tree, context);
                }
                return tree;
            }
        };
    }

    /** Decides something when all sources are known. */
    void later(Runnable decision) {
        later.add(decision);
    }

    /** Takes all decisions, and changes sources in Java and the files {@code pom.xml}. */
    TreeVisitor<?, ExecutionContext> changing(
            Supplier<TreeVisitor<?, ExecutionContext>> java, UnaryOperator<Xml.Document> pom) {
        later.forEach(Runnable::run);
        later.clear();
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof J.CompilationUnit) {
                    return java.get().visit(tree, context);
                }
                return tree instanceof Xml.Document document && Pom.isPom(document) ? pom.apply(document) : tree;
            }
        };
    }

    ContextUses contexts() {
        return contexts;
    }

    SpringBoot boot() {
        return boot;
    }

    /** Records the decisions about one class. */
    void add(SourceFile source, ClassRule rule) {
        if (rule.movesAnything()) {
            moves(source);
        }
        if (rule.leavesAnything()) {
            stays();
        }
    }

    void moves(SourceFile source) {
        moving.add(project(source));
    }

    /** Records that something of the library stays. */
    void stays() {
        staying = true;
    }

    boolean anythingStays() {
        return staying;
    }

    boolean movesAnything() {
        return !moving.isEmpty();
    }

    boolean movesIn(SourceFile source) {
        return moving.contains(project(source));
    }

    Map<String, RecoverMethods.Form> forms() {
        return forms;
    }

    /** Records a source in another language than Java that uses the library. It does not change. */
    void isUsedInOtherLanguage() {
        stays();
    }

    private static boolean isInOtherLanguage(@Nullable Tree tree, String packagePrefix) {
        return tree instanceof JavaSourceFile source
                && !(source instanceof J.CompilationUnit)
                && source.getImports().stream()
                        .anyMatch(imported -> imported.getTypeName().startsWith(packagePrefix));
    }

    private static @Nullable JavaProject project(SourceFile source) {
        return source.getMarkers().findFirst(JavaProject.class).orElse(null);
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/** What a recipe finds in all sources before it changes one. */
final class Found {

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
                if (usesInOtherLanguage(tree, packagePrefix)) {
                    stays();
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

    void complete() {
        later.forEach(Runnable::run);
        later.clear();
    }

    ContextUses contexts() {
        return contexts;
    }

    SpringBoot boot() {
        return boot;
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

    /** Whether a source in another language than Java, which is left as it is, uses a package. */
    static boolean usesInOtherLanguage(@Nullable Tree tree, String packagePrefix) {
        return tree instanceof JavaSourceFile source
                && !(source instanceof J.CompilationUnit)
                && source.getImports().stream()
                        .anyMatch(imported -> imported.getTypeName().startsWith(packagePrefix));
    }

    private static @Nullable JavaProject project(SourceFile source) {
        return source.getMarkers().findFirst(JavaProject.class).orElse(null);
    }
}

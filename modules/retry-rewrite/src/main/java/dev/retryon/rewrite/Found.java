// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.xml.tree.Xml;

/** The findings of a recipe in all sources, before it changes one. */
class Found {

    private final String packagePrefix;

    private final Set<String> moved;

    private final Set<String> enabling;

    /** Projects with an annotation that moves; {@code null} for sources of no known project. */
    private final Set<@Nullable JavaProject> moving = new HashSet<>();

    private final Hierarchy hierarchy = new Hierarchy();

    private final Map<J.ClassDeclaration, SourceFile> declarations = new LinkedHashMap<>();

    private final Map<UUID, ClassRule> rules = new LinkedHashMap<>();

    private final List<BuildFile> builds = new ArrayList<>();

    private final List<Runnable> later = new ArrayList<>();

    private boolean enabled;

    private boolean staying;

    /**
     * Starts without findings.
     *
     * @param packagePrefix the package of the library, with a dot at the end
     * @param moved the full names of the types that the recipe replaces
     * @param enabling the simple names of types of which one enables the library; none if it enables itself
     */
    Found(String packagePrefix, Set<String> moved, Set<String> enabling) {
        this.packagePrefix = packagePrefix;
        this.moved = moved;
        this.enabling = enabling;
        this.enabled = enabling.isEmpty();
    }

    /** Leaves an annotation that does nothing today, or that RetryOn would not see. */
    Translation refuse(Translation translation) {
        if (!builds.isEmpty() && !isInUse("org.springframework.boot")) {
            translation.leave("this project has no Spring Boot, and only its auto-configuration makes @RetryOn work");
        }
        if (!enabled) {
            translation.leave("these sources have no @" + enabling.iterator().next()
                    + ", so it may not retry; if it does, write @RetryOn, and otherwise remove it");
        }
        return translation;
    }

    /** Looks at all sources and hands those in Java to another visitor. */
    TreeVisitor<?, ExecutionContext> scanning(JavaIsoVisitor<ExecutionContext> java) {
        JavaIsoVisitor<ExecutionContext> classes = new JavaIsoVisitor<>() {
            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext context) {
                hierarchy.add(declaration);
                declarations.put(declaration, getCursor().firstEnclosingOrThrow(SourceFile.class));
                return super.visitClassDeclaration(declaration, context);
            }

            @Override
            public J.Import visitImport(J.Import imported, ExecutionContext context) {
                return imported;
            }

            @Override
            public J.Package visitPackage(J.Package own, ExecutionContext context) {
                return own;
            }

            @Override
            public J.FieldAccess visitFieldAccess(J.FieldAccess access, ExecutionContext context) {
                String name = access.toString();
                boolean isWhole = !(getCursor().getParentTreeCursor().getValue() instanceof J.FieldAccess);
                if (isWhole && name.startsWith(packagePrefix) && !moved.contains(name)) {
                    // A full name without an import.
                    uses(name);
                }
                return super.visitFieldAccess(access, context);
            }

            @Override
            public J.Identifier visitIdentifier(J.Identifier identifier, ExecutionContext context) {
                enabled |= enabling.contains(identifier.getSimpleName());
                return identifier;
            }
        };
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                BuildFile build = BuildFile.of(tree);
                if (build != null) {
                    builds.add(build);
                } else if (tree instanceof J.CompilationUnit) {
                    classes.visit(tree, context);
                    java.visit(tree, context);
                } else if (tree instanceof JavaSourceFile || tree instanceof Xml.Document) {
                    look((SourceFile) tree);
                }
                return tree;
            }
        };
    }

    /** Looks at a source in another language, or in XML, which does not change. */
    private void look(SourceFile source) {
        String text = source.printAll();
        enabled |= enabling.stream().anyMatch(text::contains);
        staying |= text.contains(packagePrefix);
        if (source instanceof JavaSourceFile other) {
            other.getClasses().forEach(hierarchy::add);
        }
    }

    /** Decides something when all rules are known. */
    void later(Runnable decision) {
        later.add(decision);
    }

    /** Takes all decisions, and changes sources in Java and build files. */
    TreeVisitor<?, ExecutionContext> changing(
            BiFunction<SourceFile, J.ClassDeclaration, ClassRule> decide,
            Supplier<TreeVisitor<?, ExecutionContext>> java,
            BiFunction<BuildFile, ExecutionContext, BuildFile> changeBuild) {
        declarations.forEach(
                (declaration, source) -> rules.put(declaration.getId(), decide.apply(source, declaration)));
        ClassRule.settle(rules.values());
        declarations.forEach((declaration, source) -> {
            ClassRule rule = rules.get(declaration.getId());
            if (rule != null && rule.movesAnything()) {
                moving.add(project(source));
            }
            staying |= rule != null && rule.leavesAnything();
        });
        later.forEach(Runnable::run);
        declarations.clear();
        later.clear();
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof J.CompilationUnit) {
                    return java.get().visit(tree, context);
                }
                BuildFile build = BuildFile.of(tree);
                if (build != null) {
                    return changeBuild.apply(build, context).source();
                }
                return tree instanceof JavaSourceFile other ? explained(other) : tree;
            }
        };
    }

    Hierarchy hierarchy() {
        return hierarchy;
    }

    /** Explains in a source in another language, such as Kotlin, why it does not change. */
    private JavaSourceFile explained(JavaSourceFile source) {
        Optional<J.Import> first = source.getImports().stream()
                .filter(imported -> moved.contains(imported.getTypeName()))
                .findFirst();
        return source.withImports(ListUtils.map(
                source.getImports(),
                imported -> first.filter(imported::equals).isPresent()
                        ? Comments.add(imported, List.of("left as it is: this command changes Java only"), "\n", source)
                        : imported));
    }

    /** Whether a module of the application has a dependency of a group. */
    boolean isInUse(String group) {
        return builds.stream()
                .anyMatch(build -> build.find(
                                dependency -> dependency.getGroupId().equals(group))
                        .isPresent());
    }

    /** The decisions about one class. */
    @Nullable ClassRule rule(J.ClassDeclaration declaration) {
        return rules.get(declaration.getId());
    }

    Iterable<ClassRule> rules() {
        return rules.values();
    }

    /** Records a type of the library that does not move. */
    void uses(String type) {
        stays();
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

    /** Adds the starter to the build file of a project whose annotations move. */
    BuildFile withStarter(BuildFile build, ExecutionContext context) {
        return moving.contains(project(build.source())) ? build.withStarter(context) : build;
    }

    static @Nullable JavaProject project(SourceFile source) {
        return source.getMarkers().findFirst(JavaProject.class).orElse(null);
    }
}

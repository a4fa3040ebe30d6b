// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.xml.tree.Xml;

/** The findings of a recipe in all sources, and its decisions when it has seen all of them. */
abstract class Found {

    private static final Pattern TEST = Pattern.compile("(^|/)src/\\w*[tT]est\\w*/");

    private final Library library;

    /** Projects with an annotation that is migrated; {@code null} for sources of an unknown project. */
    private final Set<@Nullable JavaProject> moving = new HashSet<>();

    private final Hierarchy hierarchy = new Hierarchy();

    private final Map<UUID, Site> sites = new LinkedHashMap<>();

    private final List<BuildFile> builds = new ArrayList<>();

    private boolean enabled;

    private boolean enabledInTests;

    private boolean staying;

    private boolean decided;

    Found(Library library) {
        this.library = library;
        this.enabled = library.enabling() == null;
    }

    /** Writes the translation of one of the library's annotations, or leaves the annotation. */
    abstract void translate(Site site);

    void moves(Site site) {
        moving.add(project(site.source()));
    }

    /** Returns the comments on imports that remain, by type. */
    abstract Map<String, String> explanations(J.CompilationUnit unit);

    /** Returns whether a method is the recovery of annotations that are migrated. */
    boolean isMovedRecovery(JavaType.@Nullable Method method) {
        return false;
    }

    final TreeVisitor<?, ExecutionContext> scanner() {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof SourceFile source) {
                    scan(source);
                }
                return tree;
            }
        };
    }

    void scan(SourceFile source) {
        BuildFile build = BuildFile.of(source);
        if (build != null) {
            builds.add(build);
        } else if (source instanceof J.CompilationUnit unit) {
            scan(unit);
        } else if (source instanceof JavaSourceFile || source instanceof Xml.Document) {
            // A source in another language, or XML, which does not change.
            String text = source.printAll();
            enable(source, text::contains);
            staying |= text.contains(library.packageName());
            if (source instanceof JavaSourceFile other) {
                other.getClasses().forEach(hierarchy::add);
            }
        }
    }

    private void scan(J.CompilationUnit unit) {
        enable(unit, Library.simpleNames(unit)::contains);
        library.remaining(unit).forEach(this::uses);
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, Integer context) {
                hierarchy.add(declaration);
                addSites(declaration.getLeadingAnnotations(), declaration, null, unit);
                Library.methods(declaration)
                        .forEach(method -> addSites(method.getLeadingAnnotations(), declaration, method, unit));
                return super.visitClassDeclaration(declaration, context);
            }
        }.visit(unit, 0);
    }

    private void enable(SourceFile source, Predicate<String> contains) {
        boolean enables = library.enablers().anyMatch(contains);
        enabledInTests |= enables;
        enabled |= enables && !isTest(source);
    }

    private static boolean isTest(SourceFile source) {
        return TEST.matcher(source.getSourcePath().toString().replace('\\', '/'))
                .find();
    }

    private void addSites(
            List<J.Annotation> annotations,
            J.ClassDeclaration declaration,
            J.@Nullable MethodDeclaration method,
            SourceFile source) {
        annotations.stream()
                .filter(library::translates)
                .map(annotation -> new Site(annotation, declaration, method, source, library, hierarchy))
                .forEach(site -> sites.put(site.annotation().getId(), site));
    }

    final TreeVisitor<?, ExecutionContext> changer() {
        if (!decided) {
            decide();
            decided = true;
        }
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                return tree instanceof SourceFile source ? change(source, context) : tree;
            }
        };
    }

    /** Leaves each annotation that fails a check, and then those that share a method with one that is left. */
    void decide() {
        List<Site> left = new ArrayList<>();
        for (Site site : sites.values()) {
            library.check(site);
            site.follow();
            translate(site);
            refuse(site);
            if (site.isLeft()) {
                left.add(site);
            }
        }
        for (int i = 0; i < left.size(); i++) {
            Site reason = left.get(i);
            sites.values().stream().filter(site -> !site.isLeft()).forEach(site -> {
                site.leaveWith(reason);
                if (site.isLeft()) {
                    left.add(site);
                }
            });
        }
        staying |= !left.isEmpty();
        sites.values().stream().filter(site -> !site.isLeft()).forEach(this::moves);
    }

    /** Leaves an annotation that currently has no effect, or that RetryOn would not see. */
    private void refuse(Site site) {
        Translation translation = site.translation();
        if (!builds.isEmpty() && !isInUse("org.springframework.boot")) {
            translation.leave("this project does not use Spring Boot, and @RetryOn needs its auto-configuration");
        }
        if (!enabled && !(enabledInTests && isTest(site.source()))) {
            translation.leave((enabledInTests ? "only tests have @" : "these sources have no @")
                    + library.enablers().findFirst().orElseThrow()
                    + ", so this annotation might have no effect; if it retries calls, write @RetryOn, and otherwise"
                    + " remove it");
        }
    }

    SourceFile change(SourceFile source, ExecutionContext context) {
        if (source instanceof J.CompilationUnit) {
            return (SourceFile) new AnnotationVisitor(this).visitNonNull(source, context);
        }
        BuildFile build = BuildFile.of(source);
        if (build != null) {
            return change(build, context).source();
        }
        return source instanceof JavaSourceFile other ? explained(other) : source;
    }

    BuildFile change(BuildFile build, ExecutionContext context) {
        return moving.contains(project(build.source())) ? build.withStarter(context) : build;
    }

    /** Explains in a source in another language, such as Kotlin, why it does not change. */
    private JavaSourceFile explained(JavaSourceFile source) {
        return source.getImports().stream()
                .map(J.Import::getTypeName)
                .filter(library::moves)
                .findFirst()
                .map(type ->
                        Comments.explain(source, Map.of(type, "left as it is: this command changes only Java"), source))
                .orElse(source);
    }

    Library library() {
        return library;
    }

    Hierarchy hierarchy() {
        return hierarchy;
    }

    final boolean isInUse(String group) {
        return builds.stream()
                .anyMatch(build -> build.find(
                                dependency -> dependency.getGroupId().equals(group))
                        .isPresent());
    }

    /** Returns the decision about an annotation, or {@code null} if it does not belong to the library. */
    final @Nullable Site site(J.Annotation annotation) {
        return sites.get(annotation.getId());
    }

    /** Records a type of the library that a source uses and that is not migrated. */
    void uses(String type) {
        staying = true;
    }

    /** Returns whether the library is no longer a dependency, so that no source may import it. */
    boolean isRemoved() {
        return false;
    }

    boolean anythingStays() {
        return staying;
    }

    final boolean movesAnything() {
        return !moving.isEmpty();
    }

    static @Nullable JavaProject project(SourceFile source) {
        return source.getMarkers().findFirst(JavaProject.class).orElse(null);
    }
}

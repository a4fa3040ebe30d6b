// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.marker.Markers;
import org.openrewrite.xml.AddToTagVisitor;
import org.openrewrite.xml.FilterTagChildrenVisitor;
import org.openrewrite.xml.MapTagChildrenVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/** Changes the dependencies of one {@code pom.xml}. */
final class Pom {

    private static final String STARTER = "retry-spring-boot-starter";

    private Pom() {}

    static boolean isPom(SourceFile source) {
        return source instanceof Xml.Document document
                && document.getSourcePath().getFileName().toString().equals("pom.xml")
                && document.getRoot().getName().equals("project");
    }

    /**
     * Replaces another library by the starter, or adds the starter.
     *
     * @param theirs which dependencies belong to the library
     * @param replaced whether the library goes
     * @param reason why it stays although no code needs it; {@code null} if there is no reason
     * @param needed whether the starter comes even if the library is not among the dependencies
     */
    static Xml.Document change(
            Xml.Document pom, Predicate<Xml.Tag> theirs, boolean replaced, @Nullable String reason, boolean needed) {
        Xml.Tag root = pom.getRoot();
        Xml.Tag dependencies = root.getChild("dependencies").orElse(null);
        List<Xml.Tag> present = dependencies == null ? List.of() : dependencies.getChildren("dependency");
        boolean hasStarter = present.stream()
                .anyMatch(dependency ->
                        dependency.getChildValue("artifactId").orElse("").equals(STARTER));
        Xml.Tag first = present.stream().filter(theirs).findFirst().orElse(null);
        if (dependencies != null && first != null && replaced && reason != null) {
            return change(explained(pom, dependencies, first, reason), theirs, false, null, needed);
        }
        if (dependencies != null && first != null && replaced) {
            Xml.Tag kept = FilterTagChildrenVisitor.filterTagChildren(
                    root, dependencies, tag -> !theirs.test(tag) || (tag.equals(first) && !hasStarter));
            return pom.withRoot(MapTagChildrenVisitor.mapTagChildren(
                    kept, dependencies, tag -> tag.equals(first) ? starterLike(tag) : tag));
        }
        if (hasStarter || !needed) {
            return pom;
        }
        Cursor document = new Cursor(new Cursor(null, Cursor.ROOT_VALUE), pom);
        return pom.withRoot(
                dependencies == null
                        ? AddToTagVisitor.addToTag(
                                root, Xml.Tag.build("<dependencies>\n" + starter() + "\n</dependencies>"), document)
                        : AddToTagVisitor.addToTag(root, dependencies, Xml.Tag.build(starter()), document));
    }

    private static Xml.Document explained(Xml.Document pom, Xml.Tag dependencies, Xml.Tag dependency, String reason) {
        String comment = " " + Comments.START + reason + " ";
        List<Content> contents = new ArrayList<>();
        for (Content content : Objects.requireNonNull(dependencies.getContent())) {
            if (content instanceof Xml.Comment present && present.getText().equals(comment)) {
                return pom;
            }
            if (content.equals(dependency)) {
                contents.add(new Xml.Comment(Tree.randomId(), dependency.getPrefix(), Markers.EMPTY, comment));
            }
            contents.add(content);
        }
        return pom.withRoot(MapTagChildrenVisitor.mapTagChildren(
                pom.getRoot(), pom.getRoot(), tag -> tag.equals(dependencies) ? tag.withContent(contents) : tag));
    }

    /** The starter, with the layout of another dependency. */
    private static Xml.Tag starterLike(Xml.Tag dependency) {
        List<Xml.Tag> children = dependency.getChildren();
        String prefix = children.isEmpty() ? "\n" : children.get(0).getPrefix();
        List<Content> contents = new ArrayList<>();
        Xml.Tag.build(starter()).getChildren().forEach(child -> contents.add(child.withPrefix(prefix)));
        dependency.getChild("scope").ifPresent(contents::add);
        return dependency.withContent(contents);
    }

    private static String starter() {
        return """
                <dependency>
                <groupId>dev.retryon</groupId>
                <artifactId>%s</artifactId>
                <version>%s</version>
                </dependency>""".formatted(STARTER, version());
    }

    /** The version of these recipes, which is that of the starter. */
    static String version() {
        try (InputStream resource = Pom.class.getResourceAsStream("version.txt")) {
            if (resource == null) {
                throw new IllegalStateException("version.txt is missing");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8).trim();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}

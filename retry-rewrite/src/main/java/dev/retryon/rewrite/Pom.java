/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.openrewrite.Cursor;
import org.openrewrite.SourceFile;
import org.openrewrite.xml.AddToTagVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/** Changes the dependencies of one {@code pom.xml}. */
final class Pom {

    static final String GROUP = "dev.retryon";

    static final String STARTER = "retry-spring-boot-starter";

    private Pom() {}

    static boolean isPom(SourceFile source) {
        return source instanceof Xml.Document document
                && document.getSourcePath().getFileName().toString().equals("pom.xml")
                && document.getRoot().getName().equals("project");
    }

    /**
     * Puts the starter where another library stands, or beside it.
     *
     * @param theirs which dependencies belong to the library
     * @param replaced whether the library goes
     * @param needed whether the starter comes even if the library is not among the dependencies
     */
    static Xml.Document change(Xml.Document pom, Predicate<Xml.Tag> theirs, boolean replaced, boolean needed) {
        Optional<Xml.Tag> dependencies = pom.getRoot().getChild("dependencies");
        List<Xml.Tag> present =
                dependencies.map(tag -> tag.getChildren("dependency")).orElse(List.of());
        boolean hasStarter = present.stream()
                .anyMatch(dependency ->
                        dependency.getChildValue("artifactId").orElse("").equals(STARTER));
        boolean hasTheirs = present.stream().anyMatch(theirs);
        if (hasTheirs && replaced) {
            return withDependencies(pom, replace(dependencies.orElseThrow(), theirs, hasStarter));
        }
        if (hasStarter || !needed) {
            return pom;
        }
        Xml.Tag root = pom.getRoot();
        Cursor cursor = new Cursor(null, Cursor.ROOT_VALUE);
        Cursor document = new Cursor(cursor, pom);
        if (dependencies.isEmpty()) {
            return pom.withRoot(AddToTagVisitor.addToTag(
                    root, Xml.Tag.build("<dependencies>\n" + starter() + "\n</dependencies>"), document));
        }
        Xml.Tag more =
                AddToTagVisitor.addToTag(dependencies.get(), Xml.Tag.build(starter()), new Cursor(document, root));
        return withDependencies(pom, more);
    }

    private static Xml.Tag replace(Xml.Tag dependencies, Predicate<Xml.Tag> theirs, boolean hasStarter) {
        boolean placed = hasStarter;
        List<Content> contents = new ArrayList<>();
        for (Content content :
                dependencies.getContent() == null ? List.<Content>of() : List.copyOf(dependencies.getContent())) {
            if (!(content instanceof Xml.Tag dependency) || !theirs.test(dependency)) {
                contents.add(content);
            } else if (!placed) {
                contents.add(starterLike(dependency));
                placed = true;
            }
        }
        return dependencies.withContent(contents);
    }

    /** The starter, with the layout of another dependency. */
    private static Xml.Tag starterLike(Xml.Tag dependency) {
        List<Xml.Tag> children = dependency.getChildren();
        String prefix = children.isEmpty() ? "\n" : children.get(0).getPrefix();
        List<Content> contents = new ArrayList<>();
        contents.add(Xml.Tag.build("<groupId>" + GROUP + "</groupId>").withPrefix(prefix));
        contents.add(Xml.Tag.build("<artifactId>" + STARTER + "</artifactId>").withPrefix(prefix));
        contents.add(Xml.Tag.build("<version>" + version() + "</version>").withPrefix(prefix));
        dependency.getChild("scope").ifPresent(contents::add);
        return dependency.withContent(contents);
    }

    private static Xml.Document withDependencies(Xml.Document pom, Xml.Tag dependencies) {
        List<Content> contents = new ArrayList<>();
        for (Content content : pom.getRoot().getContent() == null
                ? List.<Content>of()
                : pom.getRoot().getContent()) {
            contents.add(
                    content instanceof Xml.Tag tag && tag.getName().equals("dependencies") ? dependencies : content);
        }
        return pom.withRoot(pom.getRoot().withContent(contents));
    }

    private static String starter() {
        return "<dependency>\n<groupId>" + GROUP + "</groupId>\n<artifactId>" + STARTER + "</artifactId>\n<version>"
                + version() + "</version>\n</dependency>";
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

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.java.marker.JavaSourceSet;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.xml.tree.Xml;

/** Whether the sources belong to applications with Spring Boot, without which nothing configures RetryOn. */
final class SpringBoot {

    private static final String GROUP = "org.springframework.boot";

    private static final String CLOUD = "org.springframework.cloud";

    private final Set<UUID> sourceSets = new HashSet<>();

    private boolean present;

    private boolean springCloud;

    private boolean known;

    /** Looks at one source. */
    void look(@Nullable Tree tree) {
        if (tree instanceof Xml.Document document && Pom.isPom(document)) {
            known = true;
            springCloud |= isIn(document.getRoot(), CLOUD, "spring-cloud");
            present |= isIn(document.getRoot(), GROUP, "spring-boot");
        } else if (!present && tree instanceof JavaSourceFile source && !isTest(source)) {
            present = source.getImports().stream()
                            .anyMatch(imported -> imported.getTypeName().startsWith(GROUP + "."))
                    || isOnClassPath(source);
        }
    }

    /** Whether the build is known and has no Spring Boot. Where only sources are known, it is assumed. */
    boolean isAbsent() {
        return known && !present;
    }

    /** Whether a part of Spring Cloud is among the dependencies. */
    boolean hasSpringCloud() {
        return springCloud;
    }

    private static boolean isIn(Xml.Tag tag, String group, String artifact) {
        if (tag.getName().equals("dependencyManagement")) {
            return false;
        }
        boolean named = tag.getName().equals("dependency") || tag.getName().equals("plugin");
        if (named && !tag.getChildValue("scope").orElse("").equals("test")) {
            return tag.getChildValue("groupId").orElse("").equals(group)
                    || tag.getChildValue("artifactId").orElse("").contains(artifact);
        }
        return tag.getChildren().stream().anyMatch(child -> isIn(child, group, artifact));
    }

    private static boolean isTest(SourceFile source) {
        return source.getMarkers()
                .findFirst(JavaSourceSet.class)
                .filter(set -> set.getName().contains("test"))
                .isPresent();
    }

    private boolean isOnClassPath(SourceFile source) {
        return source.getMarkers()
                .findFirst(JavaSourceSet.class)
                .filter(set -> sourceSets.add(set.getId()))
                .filter(set -> set.getGavToTypes().keySet().stream()
                        .anyMatch(artifact -> artifact.startsWith(GROUP + ":spring-boot-autoconfigure:")))
                .isPresent();
    }
}

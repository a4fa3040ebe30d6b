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

    private final Set<UUID> sourceSets = new HashSet<>();

    private boolean present;

    private boolean known;

    /** Looks at one source. */
    void look(@Nullable Tree tree) {
        if (present) {
            return;
        }
        if (tree instanceof Xml.Document document && Pom.isPom(document)) {
            known = true;
            present = isIn(document.getRoot());
        } else if (tree instanceof JavaSourceFile source && !isTest(source)) {
            present = source.getImports().stream()
                            .anyMatch(imported -> imported.getTypeName().startsWith(GROUP + "."))
                    || isOnClassPath(source);
        }
    }

    /** Whether the build is known and has no Spring Boot. Where only sources are known, it is assumed. */
    boolean isAbsent() {
        return known && !present;
    }

    private static boolean isIn(Xml.Tag tag) {
        if (tag.getName().equals("dependencyManagement")) {
            return false;
        }
        boolean named = tag.getName().equals("dependency") || tag.getName().equals("plugin");
        if (named && !tag.getChildValue("scope").orElse("").equals("test")) {
            return tag.getChildValue("groupId").orElse("").equals(GROUP)
                    || tag.getChildValue("artifactId").orElse("").contains("spring-boot");
        }
        return tag.getChildren().stream().anyMatch(SpringBoot::isIn);
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

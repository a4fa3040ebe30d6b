// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;
import org.openrewrite.java.marker.JavaProject;

/** The uses of Resilience4j that the scan found, and its settings in each module of a project. */
final class Resilience4jFound extends Found {

    /** Modules; the key is {@code null} for sources of no known project. */
    private final Map<@Nullable JavaProject, Module> modules = new HashMap<>();

    /** A file with settings of retries that Spring Boot reads from no class path; {@code null} if there is none. */
    private @Nullable String otherFile;

    private boolean otherParts;

    Resilience4jFound() {
        super(MoveResilience4j.PACKAGE, Set.of(Library.RESILIENCE4J.annotation()), Set.of());
    }

    /** One module. */
    final class Module {

        private final Resilience4jSettings settings = new Resilience4jSettings();

        /** The instances and configurations that become policies. */
        private final Set<String> moving = new HashSet<>();

        private @Nullable String elsewhere;

        Resilience4jSettings settings() {
            return settings;
        }

        Set<String> moving() {
            return moving;
        }

        /** Records that settings come from elsewhere than the files of the module. */
        void isSetBy(String source) {
            elsewhere = source;
        }

        /** Where settings come from that these files do not show; {@code null} if all are in the files. */
        @Nullable String elsewhere() {
            String importing = settings.importing();
            return importing != null ? importing : elsewhere != null ? elsewhere : otherFile;
        }
    }

    Module module(SourceFile source) {
        return modules.computeIfAbsent(project(source), unused -> new Module());
    }

    /** Records the properties of one document. */
    void add(SourceFile file, int index, Map<String, @Nullable String> properties) {
        if (Resilience4jSettings.isIn(file.getSourcePath())) {
            module(file).settings().add(file.getSourcePath(), index, properties);
        } else if (file.printAll().contains("RESILIENCE4J_RETRY_")
                || properties.keySet().stream().anyMatch(name -> name.startsWith(Resilience4jSettings.PREFIX))) {
            otherFile = file.getSourcePath().toString().replace('\\', '/');
        }
    }

    @Override
    void uses(String type) {
        if (MoveResilience4j.isRetry(type)) {
            super.uses(type);
        } else {
            // A circuit breaker, a bulkhead or another part of Resilience4j.
            otherParts = true;
        }
    }

    boolean keepsDependency() {
        return anythingStays()
                || otherParts
                || !movesAnything()
                || modules.values().stream()
                        .anyMatch(module -> module.settings().hasOtherParts());
    }
}

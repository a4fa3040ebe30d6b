// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.xml.tree.Xml;
import org.openrewrite.yaml.tree.Yaml;

/** The uses of Resilience4j that the scan found, and its settings in each module of a project. */
final class Resilience4jFound extends Found {

    private static final String GROUP = "io.github.resilience4j";

    /** A name of a setting in code or XML, not of a package. */
    private static final Pattern NAMED = Pattern.compile("(?<!\\.)resilience4j\\.retry\\.(instances|backends|configs)");

    /** Dependencies that add settings from a server. */
    private static final Pattern CLIENT = Pattern.compile(
            "spring-cloud-[\\w-]*(config|bootstrap|parameter-store|secrets-manager)|nacos-config|azure-appconfiguration");

    /** Imports of types that add settings. */
    private static final Pattern SETTING = Pattern.compile(".*\\.(RetryConfigCustomizer|PropertySource)");

    /** Comments on imports that remain in sources that use retries. */
    private static final Map<String, String> LEFT = Map.of(
            GROUP + ".retry.RetryRegistry",
            "left as it is: it does not contain the methods with @RetryOn; use the bean"
                    + " dev.retryon.spring.RetryRegistry",
            GROUP + ".core.registry.RegistryEventConsumer",
            "left as it is: it receives no events from methods with @RetryOn; define a bean of type"
                    + " dev.retryon.RetryListener");

    /** Modules by project; the key is {@code null} for sources of an unknown project. */
    private final Map<@Nullable JavaProject, Resilience4jModule> modules = new HashMap<>();

    /** A file with settings of retries that Spring Boot does not read from the class path; or {@code null}. */
    private @Nullable String otherFile;

    private boolean otherParts;

    Resilience4jFound() {
        super(Library.RESILIENCE4J);
    }

    private Resilience4jModule module(SourceFile source) {
        return modules.computeIfAbsent(project(source), unused -> new Resilience4jModule());
    }

    @Override
    void scan(SourceFile source) {
        super.scan(source);
        BuildFile build = BuildFile.of(source);
        if (source instanceof Properties.File file) {
            add(file, 0, Resilience4jProperties.read(file));
        } else if (source instanceof Yaml.Documents documents) {
            int index = 0;
            for (Yaml.Document document : documents.getDocuments()) {
                add(documents, index++, Resilience4jYaml.read(document));
            }
        } else if (build != null) {
            build.find(dependency -> CLIENT.matcher(dependency.getArtifactId()).find())
                    .ifPresent(client -> module(source).isSetBy(client.getArtifactId()));
        } else if ((source instanceof JavaSourceFile || source instanceof Xml.Document)
                && NAMED.matcher(source.printAll()).find()) {
            module(source).isSetBy("code that names these settings");
        }
        if (source instanceof J.CompilationUnit unit) {
            unit.getImports().stream()
                    .map(imported -> SETTING.matcher(imported.getTypeName()))
                    .filter(Matcher::matches)
                    .forEach(setting -> module(source).isSetBy(setting.group(1)));
        }
    }

    private void add(SourceFile file, int index, Map<String, @Nullable String> properties) {
        boolean isRead = module(file).add(file.getSourcePath(), index, properties);
        if (!isRead
                && (file.printAll().contains("RESILIENCE4J_RETRY_")
                        || properties.keySet().stream().anyMatch(name -> name.startsWith(Resilience4jModule.PREFIX)))) {
            otherFile = file.getSourcePath().toString().replace('\\', '/');
        }
    }

    @Override
    void translate(Site site) {
        Resilience4jModule module = module(site.source());
        if (otherFile != null && module.elsewhere() == null) {
            module.isSetBy(otherFile);
        }
        Resilience4jTranslator.translate(site, module);
    }

    @Override
    void moves(Site site) {
        super.moves(site);
        Resilience4jModule module = module(site.source());
        module.move(Resilience4jTranslator.policy(site.attributes(), module));
    }

    @Override
    void uses(String type) {
        if (isRetry(type)) {
            super.uses(type);
        } else {
            // A circuit breaker, a bulkhead or another part of Resilience4j.
            otherParts = true;
        }
    }

    /** Returns whether a type belongs to Resilience4j's retries. Code that names such a type might need any of the settings. */
    private static boolean isRetry(String type) {
        return type.startsWith(GROUP + ".retry.") || type.startsWith(GROUP + ".common.retry.");
    }

    @Override
    Map<String, String> explanations(J.CompilationUnit unit) {
        return movesAnything() && unit.getImports().stream().anyMatch(imported -> isRetry(imported.getTypeName()))
                ? LEFT
                : Map.of();
    }

    @Override
    SourceFile change(SourceFile source, ExecutionContext context) {
        boolean removed = !anythingStays();
        if (source instanceof Properties.File file) {
            return Resilience4jProperties.change(file, module(file), removed);
        }
        if (source instanceof Yaml.Documents documents) {
            return documents.withDocuments(ListUtils.map(
                    documents.getDocuments(),
                    (index, document) ->
                            Resilience4jYaml.change(document, index, documents, module(documents), removed)));
        }
        return super.change(source, context);
    }

    @Override
    boolean isRemoved() {
        return movesAnything()
                && !anythingStays()
                && !otherParts
                && modules.values().stream().noneMatch(Resilience4jModule::hasOtherParts);
    }

    @Override
    BuildFile change(BuildFile build, ExecutionContext context) {
        BuildFile changed = super.change(build, context);
        return isRemoved() ? changed.without(GROUP, "*", context) : changed;
    }
}

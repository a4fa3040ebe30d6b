// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.xml.Assertions.xml;
import static org.openrewrite.yaml.Assertions.yaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

/** The pages in docs/migrating show what the recipes do: each block "before" becomes the next one without that word. */
class MigrationGuideTests implements RewriteTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(java|yaml)( before)?\n(.*?\n)```$");

    @ParameterizedTest
    @CsvSource({
        "spring-retry, FromSpringRetry",
        "spring-framework, FromSpringFramework",
        "resilience4j, FromResilience4j"
    })
    void showsWhatTheRecipeDoes(String page, String recipe) throws IOException {
        Path file = Path.of("..", "..", "docs", "migrating", page + ".md");
        List<String> java = new ArrayList<>();
        List<String> yaml = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(Files.readString(file));
        while (blocks.find()) {
            (blocks.group(1).equals("java") ? java : yaml).add(blocks.group(3));
        }
        List<SourceSpecs> sources = new ArrayList<>();
        sources.add(java(java.get(0), java.get(1)));
        sources.add(
                xml(
                        "<beans><bean class=\"com.acme.EnableRetry\"/><bean class=\"com.acme.EnableResilientMethods\"/></beans>"));
        if (!yaml.isEmpty()) {
            sources.add(yaml(yaml.get(0), yaml.get(1), spec -> spec.path("src/main/resources/application.yml")));
        }
        rewriteRun(
                spec -> spec.recipeFromResources("dev.retryon.rewrite." + recipe)
                        .parser(JavaParser.fromJavaVersion()
                                .classpath("spring-retry", "spring-context", "resilience4j-annotations")),
                sources.toArray(SourceSpecs[]::new));
    }
}

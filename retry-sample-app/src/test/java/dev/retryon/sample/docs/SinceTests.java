// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which version brought a public type. */
class SinceTests {

    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "(?m)^public (?:abstract |final |sealed |non-sealed )*(?:class|interface|record|enum|@interface) ");

    private static final List<String> PUBLISHED = List.of(
            "retry-core",
            "retry-spring-boot-starter",
            "modules/retry-http",
            "modules/retry-aspects",
            "modules/retry-durable",
            "modules/retry-dashboard",
            "modules/retry-test-core",
            "modules/retry-test");

    @Test
    void everyPublicTypeSaysSinceWhenItExists() throws IOException {
        for (String module : PUBLISHED) {
            Path sources = Page.root().resolve(module + "/src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                List<Path> types = files.filter(SinceTests::isPublicType).toList();
                assertThat(types).isNotEmpty();
                assertThat(types)
                        .allSatisfy(file -> assertThat(beforeTheType(file)).contains("\n * @since "));
            }
        }
    }

    private static boolean isPublicType(Path file) {
        return file.toString().endsWith(".java")
                && !file.toString().contains("/internal/")
                && !file.toString().contains("/dev/retryon/spring/module/") // only for the modules
                && PUBLIC_TYPE.matcher(read(file)).find();
    }

    private static String beforeTheType(Path file) {
        String text = read(file);
        int type = PUBLIC_TYPE
                .matcher(text)
                .results()
                .findFirst()
                .map(MatchResult::start)
                .orElseThrow();
        return text.substring(0, type);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }
}

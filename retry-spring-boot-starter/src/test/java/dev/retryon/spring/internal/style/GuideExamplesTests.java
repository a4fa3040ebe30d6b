// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each example of the guides stands in code that is compiled, and run, as a test. */
class GuideExamplesTests {

    private static final Pattern EXAMPLE =
            Pattern.compile("^```(?:java|kotlin)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Path MODULE = module();

    @ParameterizedTest
    @ValueSource(strings = {"async.md", "extending.md", "limits.md", "testing.md"})
    void examplesAreCompiled(String guide) throws IOException {
        String text = Files.readString(MODULE.resolveSibling("docs").resolve(guide));
        List<String> sources = sources();
        List<String> examples = EXAMPLE.matcher(text)
                .results()
                .map(example -> flat(example.group(1)))
                .toList();
        assertThat(examples).isNotEmpty();
        for (String example : examples) {
            assertThat(sources).anySatisfy(source -> assertThat(source).contains(example));
        }
    }

    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (String module : List.of("retry-spring-boot-starter", "modules/retry-kotlin", "modules/retry-test")) {
            sources.addAll(sources(MODULE.resolveSibling(module).resolve("src/test")));
        }
        return sources;
    }

    private static List<String> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().replace('\\', '/').contains("/com/acme/orders/"))
                    .filter(Files::isRegularFile)
                    .map(GuideExamplesTests::read)
                    .map(GuideExamplesTests::flat)
                    .toList();
        }
    }

    /** Without indentation and empty lines. */
    private static String flat(String code) {
        return code.lines().map(String::strip).filter(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    /** The folder of this module, whichever folder the tests are run in. */
    private static Path module() {
        Path here = Path.of("").toAbsolutePath();
        Path inside = here.resolve("retry-spring-boot-starter");
        return Files.isDirectory(inside) ? inside : here;
    }
}

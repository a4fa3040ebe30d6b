// SPDX-License-Identifier: Apache-2.0
package dev.retryon.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples in the cookbook are parts of files of this module, which are compiled and run. */
class CookbookTests {

    private static final List<String> PAGES = List.of("docs/cookbook.md");

    @ParameterizedTest
    @CsvSource({"java, src/test/java/com/acme, 10", "yaml, src/test/resources, 1"})
    void everyExampleIsPartOfAFile(String language, String folder, int least) throws IOException {
        List<String> files = files(Path.of(folder));
        assertThat(blocks(language))
                .hasSizeGreaterThanOrEqualTo(least)
                .allSatisfy(block -> assertThat(files).as(block).anyMatch(file -> file.contains(withoutSpace(block))));
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(CookbookTests::read)
                    .map(CookbookTests::withoutSpace)
                    .toList();
        }
    }

    private static List<String> blocks(String language) {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve(PAGES.get(0)))) {
            root = root.getParent();
        }
        Pattern block = Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
        return PAGES.stream()
                .map(root::resolve)
                .flatMap(page -> block.matcher(read(page)).results())
                .map(match -> match.group(1))
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}

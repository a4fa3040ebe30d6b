// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The messages that the pages quote are those of the code, and no warning or fault of the code is missing. */
class TroubleshootingGuideTests {

    /** A message: several words in code style, with nothing that only code has. */
    private static final Pattern MESSAGE = Pattern.compile("`([A-Za-z][A-Za-z' ]* [A-Za-z', ]+ [A-Za-z', ]+)`");

    /** What logs at WARN, and its arguments. */
    private static final Pattern WARNING = Pattern.compile(
            "(?:\\bwarn|warnings\\.add|(?i:faults|faults\\(\\))\\s*\\.report|(?<!throw )\\bfailed)\\((.*?)\\);\\s*\\n",
            Pattern.DOTALL);

    /** What ends the start, and its arguments. */
    private static final Pattern FAULT = Pattern.compile(
            "(?:\\b(?:faults|wrong)\\s*\\.\\s*add|new RetryFault|(?:throw|return) fault)\\((.*?)\\);\\s*\\n",
            Pattern.DOTALL);

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    private static final int WORDS = 3;

    private final Path root = root();

    // Texts that are written in two lines are joined.
    private final String sources = Stream.of(
                    "retry-core",
                    "retry-spring-boot-starter",
                    "modules/retry-durable",
                    "modules/retry-http",
                    "modules/retry-aspects",
                    "modules/retry-dashboard")
            .map(module -> root.resolve(module + "/src/main/java"))
            .filter(Files::isDirectory)
            .map(TroubleshootingGuideTests::sources)
            .collect(Collectors.joining())
            .replaceAll("\"\\s*\\+\\s*\"", "");

    @Test
    void everyQuotedMessageIsInTheSources() throws IOException {
        List<String> messages = MESSAGE.matcher(page("troubleshooting") + page("messages"))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(messages).hasSizeGreaterThan(12);
        assertThat(messages)
                .allSatisfy(message ->
                        assertThat(sources.contains(message)).as(message).isTrue());
    }

    @Test
    void everyWarningOfTheSourcesIsExplained() throws IOException {
        String page = page("messages");
        List<List<String>> warnings = messages(WARNING);
        assertThat(warnings).hasSizeGreaterThan(35);
        assertThat(warnings).allSatisfy(phrases -> assertThat(phrases).anyMatch(page::contains));
    }

    @Test
    void everyFaultOfTheSourcesIsExplained() throws IOException {
        String page = page("messages");
        List<List<String>> faults = messages(FAULT);
        assertThat(faults).hasSizeGreaterThan(35);
        assertThat(faults).allSatisfy(phrases -> assertThat(phrases).anyMatch(page::contains));
    }

    private String page(String name) throws IOException {
        return Files.readString(root.resolve("docs/" + name + ".md"));
    }

    private List<List<String>> messages(Pattern call) {
        return call.matcher(sources)
                .results()
                .map(message -> phrases(message.group(1)))
                .filter(phrases -> !phrases.isEmpty())
                .toList();
    }

    /** Any three words in a row of a text that is the same in every message. */
    private static List<String> phrases(String arguments) {
        return LITERAL.matcher(arguments)
                .results()
                .map(literal -> literal.group(1).strip().split(" +"))
                .flatMap(words -> IntStream.rangeClosed(0, words.length - WORDS)
                        .mapToObj(first -> String.join(" ", Arrays.asList(words).subList(first, first + WORDS))))
                .toList();
    }

    private static Path root() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("docs/troubleshooting.md"))) {
            root = root.getParent();
        }
        return root;
    }

    private static String sources(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(TroubleshootingGuideTests::read)
                    .collect(Collectors.joining());
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }
}

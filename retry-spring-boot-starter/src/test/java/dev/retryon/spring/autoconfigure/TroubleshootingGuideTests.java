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

/** The messages that the page quotes are those of the code. It explains those that do not say how to fix the problem. */
class TroubleshootingGuideTests {

    private static final String PAGE = "docs/troubleshooting.md";

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

    /** How to fix the problem. */
    private static final Pattern FIX = Pattern.compile(
            "but must|did you mean|[;.,] (or )?(add|allow|annotate|append|check|configure|correct|define|inject|keep|let|lower|make|move|number|put|raise|remove|"
                    + "restart|restore|retry|run|send|set|start|use|write) ",
            Pattern.CASE_INSENSITIVE);

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
        List<String> messages =
                MESSAGE.matcher(page()).results().map(match -> match.group(1)).toList();
        assertThat(messages).hasSizeGreaterThan(12);
        assertThat(messages)
                .allSatisfy(message ->
                        assertThat(sources.contains(message)).as(message).isTrue());
    }

    @Test
    void everyWarningOfTheSourcesSaysHowToFixItOrIsExplained() throws IOException {
        requireFixOrExplanation(messages(WARNING));
    }

    @Test
    void everyFaultOfTheSourcesSaysHowToFixItOrIsExplained() throws IOException {
        requireFixOrExplanation(messages(FAULT));
    }

    private void requireFixOrExplanation(List<String> messages) throws IOException {
        String page = page();
        assertThat(messages).hasSizeGreaterThan(35);
        assertThat(messages)
                .filteredOn(message ->
                        literals(message).noneMatch(text -> FIX.matcher(text).find()))
                .isNotEmpty()
                .allSatisfy(message -> assertThat(phrases(message)).anyMatch(page::contains));
    }

    private String page() throws IOException {
        return Files.readString(root.resolve(PAGE));
    }

    /** The arguments of calls that report something. */
    private List<String> messages(Pattern call) {
        return call.matcher(sources)
                .results()
                .map(message -> message.group(1))
                .filter(arguments -> !phrases(arguments).isEmpty())
                .toList();
    }

    private static Stream<String> literals(String arguments) {
        return LITERAL.matcher(arguments).results().map(literal -> literal.group(1));
    }

    /** Any three words in a row of a text that is the same in every message. */
    private static List<String> phrases(String arguments) {
        return literals(arguments)
                .map(literal -> literal.strip().split(" +"))
                .flatMap(words -> IntStream.rangeClosed(0, words.length - WORDS)
                        .mapToObj(first -> String.join(" ", Arrays.asList(words).subList(first, first + WORDS))))
                .toList();
    }

    private static Path root() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve(PAGE))) {
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

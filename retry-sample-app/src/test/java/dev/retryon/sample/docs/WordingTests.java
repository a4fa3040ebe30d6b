// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks the texts that users read against the style guide in CONTRIBUTING.md: pages, Javadoc of the API, descriptions of
 * properties, and messages. The failure lists every sentence to rewrite, sorted by file.
 */
@Tag("slow")
class WordingTests {

    private static final List<String> MODULES = List.of(
            "retry-core",
            "retry-spring-boot-starter",
            "modules/retry-durable",
            "modules/retry-http",
            "modules/retry-aspects",
            "modules/retry-dashboard",
            "modules/retry-test-core",
            "modules/retry-test",
            "modules/retry-kotlin",
            "modules/retry-rewrite",
            "retry-sample-app");

    /** The packages that users import from. */
    private static final List<String> API = List.of(
            "dev/retryon",
            "dev/retryon/backoff",
            "dev/retryon/budget",
            "dev/retryon/spring",
            "dev/retryon/durable",
            "dev/retryon/http",
            "dev/retryon/aspects",
            "dev/retryon/dashboard",
            "dev/retryon/kotlin",
            "dev/retryon/test",
            "dev/retryon/test/spring");

    /** Pages that users search instead of reading them. */
    private static final List<String> LISTS = List.of("docs/configuration.md", "CHANGELOG.md");

    private static final Pattern NOT_FOR_USERS = Pattern.compile("^docs/(internals|benchmarks|node_modules)/");

    private static final Pattern API_TYPE =
            Pattern.compile("(?m)^public |^(class|interface|object|fun|inline fun|suspend fun|annotation class) ");

    private static final Pattern DESCRIPTION = Pattern.compile("\"description\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");

    @Test
    void textsForUsersFollowTheStyleGuide() {
        List<Passage> passages = Stream.of(pages(), javadoc(), descriptions(), messages())
                .flatMap(List::stream)
                .toList();
        assertThat(passages).hasSizeGreaterThan(500);

        List<Wording.Finding> findings = passages.stream()
                .flatMap(passage -> Wording.check(passage).stream())
                .distinct()
                .sorted(Comparator.comparing(
                                (Wording.Finding finding) -> finding.sentence().file())
                        .thenComparing(finding -> finding.sentence().line()))
                .toList();

        assertThat(findings)
                .withFailMessage(() -> findings.size()
                        + " sentences to rewrite (see the style guide in CONTRIBUTING.md):\n"
                        + findings.stream().map(Wording.Finding::toString).collect(Collectors.joining("\n")))
                .isEmpty();
    }

    @Test
    void sentencesOfPagesAreShort() {
        assertThat(pages().stream().flatMap(passage -> passage.sentences().stream()))
                .allSatisfy(sentence -> assertThat(sentence.words())
                        .as("%s:%d: %s", sentence.file(), sentence.line(), sentence.readable())
                        .isLessThanOrEqualTo(Wording.MAX_WORDS_OF_PAGES));
    }

    @Test
    void pagesDoNotRepeatTheSamePhrases() {
        Map<String, List<Passage>> pages =
                pages().stream().collect(Collectors.groupingBy(Passage::file, TreeMap::new, Collectors.toList()));

        assertThat(pages.values().stream().flatMap(page -> Wording.habits(page).stream()))
                .isEmpty();
    }

    @Test
    void pagesAreShort() {
        Map<String, Integer> words = pages().stream()
                .filter(passage -> !LISTS.contains(passage.file()))
                .collect(Collectors.groupingBy(
                        Passage::file,
                        TreeMap::new,
                        Collectors.summingInt(passage -> passage.sentences().stream()
                                .mapToInt(Passage.Sentence::words)
                                .sum())));

        assertThat(words)
                .allSatisfy((file, count) -> assertThat(count)
                        .as("words of %s; split the page, or link to the page that has the theme", file)
                        .isLessThanOrEqualTo(Wording.MAX_WORDS_PER_PAGE));
    }

    @Test
    void findsRepeatedPhrases() {
        List<String> lines = Collections.nCopies(Wording.MAX_PER_PAGE, "It may fail at once.");
        assertThat(habits(lines)).isEmpty();

        List<String> more = new ArrayList<>(lines);
        more.add("It `may` fail. It may not.");
        assertThat(habits(more)).singleElement().asString().startsWith("page.md:7: 4 times");
    }

    @Test
    void eachKindOfTextIsFound() {
        assertThat(pages()).anyMatch(passage -> passage.file().equals("README.md"));
        assertThat(javadoc()).anyMatch(passage -> passage.file().endsWith("/RetryOn.java"));
        assertThat(descriptions()).anyMatch(passage -> passage.file().endsWith("Properties.java"));
        assertThat(messages()).anyMatch(passage -> passage.file().startsWith("retry-core/"));
    }

    @Test
    void findsSentencesThatAreTooLong() {
        // 36 = 35 + 1
        String sentence = "Word " + "word ".repeat(34) + "word.";
        assertThat(reasons(sentence)).containsExactly("36 words");
        assertThat(reasons(sentence.replaceFirst("word ", ""))).isEmpty();
        assertThat(reasons(sentence.replaceFirst("word word", "`a b c`"))).isEmpty();
    }

    @Test
    void findsRejectedPhrases() {
        assertThat(List.of(
                        "The call goes on.",
                        "What holds here is shown.",
                        "It is used in place of the bean.",
                        "The server is well again.",
                        "Call it by hand.",
                        "It fails, for the table is gone.",
                        "The attempt is made by a worker.",
                        "An executor of its own runs it.",
                        "The value stands in the log."))
                .allSatisfy(
                        sentence -> assertThat(reasons(sentence)).as(sentence).hasSize(1));
    }

    @Test
    void acceptsCodeTitlesAndSimilarPhrases() {
        assertThat(List.of(
                        "Run `what goes on` manually.",
                        "What is retried by default?",
                        "What to do when all retries have failed.",
                        "A well-known standby stands for the server, for example.",
                        "The pool holds connections, for a minute at most."))
                .allSatisfy(
                        sentence -> assertThat(reasons(sentence)).as(sentence).isEmpty());
    }

    @Test
    void readsCommentsAndJoinedLiterals() {
        SourceTexts texts = SourceTexts.of("A.java", """
                /** Returns {@code it goes on} and
                 * more. Second sentence.
                 * @param name the name
                 */
                String a = "the property " + name + " is "
                    + "wrong"; // "no text at all here"
                String sql = "select a from b";
                """);

        assertThat(texts.javadoc().stream()
                        .flatMap(passage -> passage.sentences().stream())
                        .map(sentence -> sentence.line() + " " + sentence.readable()))
                .containsExactly("1 Returns `it goes on` and more.", "2 Second sentence.", "3 the name");
        assertThat(texts.messages())
                .extracting(Passage::line, Passage::text)
                .containsExactly(tuple(5, "the property `x` is wrong"));
    }

    private static List<String> reasons(String sentence) {
        return Wording.check(new Passage(
                        "page.md",
                        1,
                        Markdown.passages(new Page("page.md", List.of(sentence)))
                                .get(0)
                                .text(),
                        false))
                .stream()
                .map(Wording.Finding::reason)
                .toList();
    }

    private static List<Wording.Finding> habits(List<String> paragraphs) {
        List<String> lines = paragraphs.stream()
                .flatMap(paragraph -> Stream.of(paragraph, ""))
                .toList();
        return Wording.habits(Markdown.passages(new Page("page.md", lines)));
    }

    private static List<Passage> pages() {
        return Stream.concat(
                        Stream.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"),
                        files("docs", name -> name.endsWith(".md"))
                                .filter(name -> !NOT_FOR_USERS.matcher(name).find()))
                .flatMap(name -> Markdown.passages(Page.read(name)).stream())
                .toList();
    }

    private static List<Passage> javadoc() {
        return sources(".java", ".kt")
                .filter(WordingTests::isApi)
                .map(WordingTests::texts)
                .flatMap(texts -> texts.javadoc().stream())
                .toList();
    }

    private static boolean isApi(String file) {
        String folder = file.substring(0, file.lastIndexOf('/')).replaceFirst(".*/src/main/(java|kotlin)/", "");
        return API.contains(folder) && API_TYPE.matcher(read(file)).find();
    }

    /** Descriptions of properties: comments of their classes, and metadata that is written as JSON. */
    private static List<Passage> descriptions() {
        List<Passage> passages = new ArrayList<>();
        sources("Properties.java").map(WordingTests::texts).forEach(texts -> passages.addAll(texts.javadoc()));
        for (String module : MODULES) {
            files(
                            module + "/src/main/resources",
                            name -> name.endsWith("additional-spring-configuration-metadata.json"))
                    .forEach(file -> {
                        String json = read(file);
                        Matcher description = DESCRIPTION.matcher(json);
                        while (description.find()) {
                            int line = (int) json.substring(0, description.start())
                                    .lines()
                                    .count();
                            passages.add(new Passage(file, line, description.group(1), false));
                        }
                    });
        }
        return passages;
    }

    private static List<Passage> messages() {
        return sources(".java", ".kt", ".js")
                .filter(file -> !file.endsWith(".min.js"))
                .map(WordingTests::texts)
                .flatMap(texts -> texts.messages().stream())
                .toList();
    }

    private static SourceTexts texts(String file) {
        return SourceTexts.of(file, read(file));
    }

    private static Stream<String> sources(String... endings) {
        return MODULES.stream()
                .flatMap(module ->
                        files(module + "/src/main", name -> Stream.of(endings).anyMatch(name::endsWith)));
    }

    private static Stream<String> files(String folder, Predicate<String> filter) {
        Path root = Page.root();
        if (!Files.exists(root.resolve(folder))) {
            return Stream.of();
        }
        try (Stream<Path> files = Files.walk(root.resolve(folder))) {
            return files
                    .filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .filter(filter)
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String read(String file) {
        try {
            return Files.readString(Page.root().resolve(file));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}

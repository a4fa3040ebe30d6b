// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each relative link of a page leads to a file, and to a heading of it if the link names one. */
class LinkTests {

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

    private static final Pattern ELSEWHERE = Pattern.compile("^([a-z]+:|/).*");

    private static final Pattern HEADING = Pattern.compile("#+ (.*)");

    private static final Pattern ID = Pattern.compile("<a id=\"([^\"]+)\"");

    private final Path root = Page.root();

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void everyLinkLeadsToAHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (String line : prose(page)) {
                for (MatchResult link : LINK.matcher(line).results().toList()) {
                    if (!ELSEWHERE.matcher(link.group(1)).matches()) {
                        links++;
                        if (isBroken(page, link.group(1))) {
                            broken.add(root.relativize(page) + ": " + link.group(1));
                        }
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(500);
    }

    private boolean isBroken(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return !Files.exists(target) || (parts.length == 2 && !anchors(target).contains(parts[1]));
    }

    /** The anchors of the headings, as Git hosts and the site derive them, and those that a page sets itself. */
    private Set<String> anchors(Path page) throws IOException {
        Set<String> found = anchors.get(page);
        if (found == null) {
            found = new HashSet<>();
            for (String line : prose(page)) {
                ID.matcher(line).results().map(id -> id.group(1)).forEach(found::add);
                Matcher heading = HEADING.matcher(line);
                if (heading.matches()) {
                    found.add(anchor(heading.group(1)));
                }
            }
            anchors.put(page, found);
        }
        return found;
    }

    private static String anchor(String title) {
        return title.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
    }

    private static List<String> prose(Path page) throws IOException {
        List<String> prose = new ArrayList<>();
        boolean isFenced = false;
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("```")) {
                isFenced = !isFenced;
            } else if (!isFenced) {
                prose.add(line);
            }
        }
        return prose;
    }

    private List<Path> pages() throws IOException {
        try (Stream<Path> files = Stream.concat(Files.list(root), Files.walk(root.resolve("docs")))) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("node_modules"))
                    .toList();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The fenced blocks of a page, or of one of its sections, in their order. */
record GuidePage(String name, List<Block> blocks) {

    private static final Pattern FILE = Pattern.compile("`(pom\\.xml|src/[\\w./-]+)`");

    /**
     * A fenced block.
     *
     * @param line the number of its first line, from 1
     * @param file the last file that the paragraph above it names; {@code null} if it names none
     */
    record Block(
            int line,
            String language,
            String text,
            @Nullable String file) {}

    static GuidePage read(String name) {
        return new GuidePage(name, blocks(lines(name), 0, ""));
    }

    /** Reads the section with this title, up to the next title of the same level. */
    static GuidePage readSection(String name, String title) {
        List<String> lines = lines(name);
        return new GuidePage(name, blocks(lines, lines.indexOf(title) + 1, title.replaceFirst("[^#].*", "")));
    }

    List<Block> blocks(String language) {
        return blocks.stream()
                .filter(block -> block.language().equals(language))
                .toList();
    }

    /** The root folder of the project, whichever folder the tests are run in. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("CONTRIBUTING.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static List<String> lines(String name) {
        try {
            return Files.readAllLines(root().resolve(name));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<Block> blocks(List<String> lines, int start, String end) {
        List<Block> blocks = new ArrayList<>();
        String paragraph = "";
        for (int i = start; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!end.isEmpty() && line.startsWith(end + " ")) {
                break;
            }
            if (line.startsWith("```")) {
                int from = i + 1;
                do {
                    i++;
                } while (!lines.get(i).equals("```"));
                String text = String.join("\n", lines.subList(from, i));
                blocks.add(new Block(from + 1, line.substring(3), text, file(paragraph)));
                paragraph = "";
            } else if (!line.isBlank()) {
                paragraph = line;
            }
        }
        return blocks;
    }

    private static @Nullable String file(String paragraph) {
        String file = null;
        Matcher names = FILE.matcher(paragraph);
        while (names.find()) {
            file = names.group(1);
        }
        return file;
    }
}

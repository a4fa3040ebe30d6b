// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A page of the documentation, and the blocks and tables in it. */
record Page(String name, List<String> lines) {

    /**
     * A fenced block.
     *
     * @param line the number of its first line, from 1
     */
    record Block(String language, int line, List<String> lines) {

        String text() {
            return String.join("\n", lines);
        }
    }

    /** The root folder of the project, whichever folder the tests are run in. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("CONTRIBUTING.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    static Page read(String name) {
        try {
            return new Page(name, Files.readAllLines(root().resolve(name)));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    List<Block> blocks(String language) {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("```")) {
                int end = i + 1;
                while (!lines.get(end).equals("```")) {
                    end++;
                }
                if (lines.get(i).equals("```" + language)) {
                    blocks.add(new Block(language, i + 2, List.copyOf(lines.subList(i + 1, end))));
                }
                i = end;
            }
        }
        return blocks;
    }

    /** The rows of the table that starts at the first of these lines, from a line on, and before the next title. */
    List<List<String>> table(int from, String header) {
        int start = from;
        while (start < lines.size() && !lines.get(start).startsWith(header)) {
            if (lines.get(start).startsWith("#") || lines.get(start).startsWith("```yaml")) {
                return List.of();
            }
            start++;
        }
        List<List<String>> rows = new ArrayList<>();
        for (int i = start + 2; i < lines.size() && lines.get(i).startsWith("|"); i++) {
            String row = lines.get(i);
            rows.add(List.of(row.substring(2, row.length() - 2).split(" \\| ", -1)));
        }
        return rows;
    }
}

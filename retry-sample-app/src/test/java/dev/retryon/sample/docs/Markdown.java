// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns a page into passages: paragraphs, list items, headings and cells of tables, without blocks of code. */
final class Markdown {

    private static final Pattern ITEM = Pattern.compile("\\s*(?:[-*+]|\\d+\\.)\\s+(.*)");

    private static final Pattern CODE = Pattern.compile("(`+)(.+?)\\1", Pattern.DOTALL);

    private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)]\\([^)]*\\)", Pattern.DOTALL);

    private final String file;

    private final List<Passage> passages = new ArrayList<>();

    private final StringBuilder paragraph = new StringBuilder();

    private int start;

    private Markdown(String file) {
        this.file = file;
    }

    static List<Passage> passages(Page page) {
        Markdown markdown = new Markdown(page.name());
        markdown.read(page.lines());
        return markdown.passages;
    }

    private void read(List<String> lines) {
        boolean isFenced = false;
        boolean isTable = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceAll("<!--.*?-->|</?[a-z][^>]*>", "");
            Matcher item = ITEM.matcher(line);
            if (line.strip().startsWith("```")) {
                flush();
                isFenced = !isFenced;
            } else if (isFenced) {
                continue;
            } else if (line.startsWith("|")) {
                flush();
                row(i + 1, line, !isTable);
            } else if (line.startsWith("#")) {
                flush();
                add(i + 1, line.replaceFirst("^#+\\s*", ""), true);
            } else if (item.matches()) {
                flush();
                append(i + 1, item.group(1));
            } else if (line.isBlank() || (line.startsWith("    ") && paragraph.isEmpty())) {
                flush();
            } else {
                append(i + 1, line.replaceFirst("^>\\s?", ""));
            }
            isTable = line.startsWith("|");
        }
        flush();
    }

    private void row(int line, String row, boolean isHeader) {
        if (!row.matches("[|\\s:-]+")) {
            for (String cell : clean(row).split("(?<!\\\\)\\|")) {
                passages.add(new Passage(file, line, cell.strip(), isHeader));
            }
        }
    }

    private void append(int line, String text) {
        if (paragraph.isEmpty()) {
            start = line;
        } else {
            paragraph.append('\n');
        }
        paragraph.append(text);
    }

    private void flush() {
        if (!paragraph.isEmpty()) {
            add(start, paragraph.toString(), false);
            paragraph.setLength(0);
        }
    }

    private void add(int line, String text, boolean isTitle) {
        passages.add(new Passage(file, line, clean(text), isTitle));
    }

    private static String clean(String text) {
        String withoutCode = CODE.matcher(text)
                .replaceAll(match ->
                        Matcher.quoteReplacement(Passage.code(match.group(2).replace('|', '/'))));
        return LINK.matcher(withoutCode).replaceAll("$1").replace("**", "");
    }
}

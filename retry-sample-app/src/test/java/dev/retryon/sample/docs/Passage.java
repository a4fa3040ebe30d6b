// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A piece of text that a user reads, such as a paragraph, a cell of a table or a message.
 *
 * @param file the path from the root of the project
 * @param line the number of its first line, from 1
 * @param text the text with its line breaks; code is in backticks, with {@link #CODE_SPACE} instead of spaces
 * @param isTitle whether it is a heading, which need not be a sentence
 */
record Passage(String file, int line, String text, boolean isTitle) {

    /** Keeps the words of a piece of code together. */
    static final char CODE_SPACE = '\u00a0';

    private static final Pattern BOUNDARY =
            Pattern.compile("(?<=[.!?…][)\"'”]{0,2})\\s+(?=[\"'(“`\\[]{0,2}[A-Z0-9…`])");

    private static final Pattern SPACES = Pattern.compile("\\s+");

    private static final Pattern LETTER = Pattern.compile("[\\p{L}\\p{N}]");

    /**
     * A sentence.
     *
     * @param line the number of the line on which it begins
     * @param text the sentence in one line
     * @param isTitle whether it is a heading
     */
    record Sentence(String file, int line, String text, boolean isTitle) {

        /** The number of words. Code counts as one word, and so does code that follows code, as in a list of values. */
        int words() {
            int words = 0;
            boolean isAfterCode = false;
            for (String word : SPACES.split(text)) {
                boolean isCode = word.indexOf('`') >= 0;
                if (LETTER.matcher(word).find() && !(isCode && isAfterCode)) {
                    words++;
                }
                isAfterCode = isCode;
            }
            return words;
        }

        /** The sentence without its code. */
        String prose() {
            return text.replaceAll("`[^`]*`", "``");
        }

        String readable() {
            return text.replace(CODE_SPACE, ' ');
        }
    }

    /** Replaces spaces, so that a piece of code is one word, and keeps the number of lines. */
    static String code(String code) {
        String lines = "\n".repeat((int) code.chars().filter(c -> c == '\n').count());
        String word = SPACES.matcher(code.strip().replace('`', '\'')).replaceAll(String.valueOf(CODE_SPACE));
        return "`" + word + "`" + lines;
    }

    List<Sentence> sentences() {
        List<Sentence> sentences = new ArrayList<>();
        int start = 0;
        Matcher boundary = BOUNDARY.matcher(text);
        while (boundary.find()) {
            add(sentences, start, boundary.start());
            start = boundary.end();
        }
        add(sentences, start, text.length());
        return sentences;
    }

    private void add(List<Sentence> sentences, int start, int end) {
        int first = start;
        while (first < end && Character.isWhitespace(text.charAt(first))) {
            first++;
        }
        if (first < end) {
            int lines = (int)
                    text.substring(0, first).chars().filter(c -> c == '\n').count();
            String sentence = SPACES.matcher(text.substring(first, end).strip()).replaceAll(" ");
            sentences.add(new Sentence(file, line + lines, sentence, isTitle));
        }
    }
}

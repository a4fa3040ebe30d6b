// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Finds the documentation comments and the texts of string literals in a source file (Java, Kotlin, JavaScript). */
final class SourceTexts {

    private static final Pattern JOINT = Pattern.compile("\\s*(\\+|\\+[^;,{}\"]*\\+)\\s*");

    private static final Pattern WORD = Pattern.compile("\\p{L}{2,}");

    private static final Pattern NO_PROSE = Pattern.compile(
            "(?is)^\\W*(select|insert into|update \\w+ set|delete from|create |alter table|merge into|with \\w+ as|where"
                    + " |from |order by|values|comment on)\\b.*|.*\\\\[wsdbpQ].*|.*\\(\\?[:<=!].*");

    private record Token(int start, int end, int line, String text) {}

    private final String file;

    private final String source;

    private final List<Token> comments = new ArrayList<>();

    private final List<Token> literals = new ArrayList<>();

    private SourceTexts(String file, String source) {
        this.file = file;
        this.source = source;
    }

    static SourceTexts of(String file, String source) {
        SourceTexts texts = new SourceTexts(file, source);
        texts.read();
        return texts;
    }

    private void read() {
        int i = 0;
        int line = 1;
        while (i < source.length()) {
            int end = i + 1;
            char c = source.charAt(i);
            if (source.startsWith("//", i)) {
                end = endOr(source.indexOf('\n', i));
            } else if (source.startsWith("/*", i)) {
                end = endOr(source.indexOf("*/", i + 2) + 2);
                if (source.startsWith("/**", i)) {
                    comments.add(new Token(i, end, line, source.substring(Math.min(i + 3, end - 2), end - 2)));
                }
            } else if (source.startsWith("\"\"\"", i)) {
                end = endOr(source.indexOf("\"\"\"", i + 3) + 3);
                literals.add(new Token(i, end, line, source.substring(i + 3, Math.max(i + 3, end - 3))));
            } else if (c == '"' || c == '\'' || (c == '`' && file.endsWith(".js"))) {
                end = endOfString(i, c);
                if (c != '\'' || file.endsWith(".js")) {
                    literals.add(new Token(i, end, line, source.substring(i + 1, Math.max(i + 1, end - 1))));
                }
            }
            line += (int)
                    source.substring(i, end).chars().filter(n -> n == '\n').count();
            i = end;
        }
    }

    /** Where something ends that is not closed: with the file. */
    private int endOr(int end) {
        return end < 2 ? source.length() : end;
    }

    private int endOfString(int start, char quote) {
        for (int i = start + 1; i < source.length(); i++) {
            char c = source.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == quote || (c == '\n' && quote != '`')) {
                return i + 1;
            }
        }
        return source.length();
    }

    List<Passage> javadoc() {
        List<Passage> passages = new ArrayList<>();
        for (Token comment : comments) {
            passages.addAll(Javadoc.passages(file, comment.line(), comment.text()));
        }
        return passages;
    }

    /** Literals with at least three words. Those that one expression joins are one text. */
    List<Passage> messages() {
        List<Passage> passages = new ArrayList<>();
        for (int i = 0; i < literals.size(); i++) {
            Token first = literals.get(i);
            StringBuilder text = new StringBuilder(unescaped(first.text()));
            while (i + 1 < literals.size() && joint(literals.get(i), literals.get(i + 1)) != null) {
                text.append(joint(literals.get(i), literals.get(i + 1)));
                text.append(unescaped(literals.get(++i).text()));
            }
            String message = text.toString().replaceAll("\\{\\w*}", "`x`");
            if (WORD.matcher(message).results().limit(3).count() == 3
                    && !NO_PROSE.matcher(message).matches()) {
                passages.add(new Passage(file, first.line(), message, false));
            }
        }
        return passages;
    }

    /** The text between two literals of one expression, or {@code null} if they are not joined. */
    private String joint(Token left, Token right) {
        String between = source.substring(left.end(), right.start());
        if (!JOINT.matcher(between).matches()) {
            return null;
        }
        return between.strip().equals("+") ? "" : "`x`";
    }

    private static String unescaped(String literal) {
        return literal.replace("\\n", " ").replace("\\\"", "\"").replace("\\t", " ");
    }
}

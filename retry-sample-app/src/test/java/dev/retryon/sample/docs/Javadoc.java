// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns a documentation comment into passages. */
final class Javadoc {

    private static final Pattern PRE =
            Pattern.compile("<pre>.*?</pre>|\\{@snippet.*?\\n\\s*}|```.*?```", Pattern.DOTALL);

    private static final Pattern CODE = Pattern.compile(
            "\\{@(?:code|literal|value)\\s*((?:[^{}]|\\{[^{}]*})*)}|<code>(.*?)</code>|`([^`]*)`", Pattern.DOTALL);

    private static final Pattern LINK =
            Pattern.compile("\\{@link(?:plain)?\\s+([^\\s{}(]+(?:\\([^)]*\\))?)\\s*([^{}]*)}", Pattern.DOTALL);

    private static final Pattern BREAK =
            Pattern.compile("(?m)</?(?:p|ul|ol|li|table|tr|td|th|h\\d|br|dl|dt|dd)\\b[^>]*>|^\\s*$|^\\s*(?=@[a-z])");

    private static final Pattern TAG = Pattern.compile("^\\s*@(?:param|throws)\\s+\\S+\\s*|^\\s*@return\\s*");

    private static final Pattern OTHER_TAG = Pattern.compile("^\\s*@[a-z]+\\b");

    private Javadoc() {}

    static List<Passage> passages(String file, int line, String comment) {
        String text = comment.replaceAll("(?m)^[ \\t]*\\* ?", "");
        text = replace(PRE, text, match -> lines(match.group()));
        text = replace(CODE, text, match -> Passage.code(first(match)));
        text = replace(
                LINK,
                text,
                match -> (match.group(2).isBlank() ? Passage.code(match.group(1)) : match.group(2))
                        + lines(match.group()));
        List<Passage> passages = new ArrayList<>();
        int start = 0;
        Matcher next = BREAK.matcher(text);
        while (next.find()) {
            add(passages, file, line, text, start, next.start());
            start = next.end();
        }
        add(passages, file, line, text, start, text.length());
        return passages;
    }

    private static void add(List<Passage> passages, String file, int line, String text, int start, int end) {
        String passage = text.substring(start, end);
        String body = replace(TAG, passage, match -> lines(match.group()));
        if (!OTHER_TAG.matcher(body).find() && !body.isBlank()) {
            int above = lines(text.substring(0, start)).length();
            passages.add(new Passage(file, line + above, body.replaceAll("<[^>]*>", ""), false));
        }
    }

    private static String first(MatchResult match) {
        for (int group = 1; group < match.groupCount(); group++) {
            if (match.group(group) != null) {
                return match.group(group);
            }
        }
        return match.group(match.groupCount());
    }

    private static String replace(Pattern pattern, String text, Function<MatchResult, String> replacement) {
        return pattern.matcher(text).replaceAll(match -> Matcher.quoteReplacement(replacement.apply(match)));
    }

    private static String lines(String text) {
        return "\n".repeat((int) text.chars().filter(c -> c == '\n').count());
    }
}

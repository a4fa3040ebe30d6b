// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares an output with the one on a page. The page shows the output of an earlier run, in which ids, times and waits
 * differ. Ids that are equal on the page must be equal here too, and only those. All other text must be equal, except that
 * {@code …} matches any text, and that white space does not count.
 */
final class Output {

    private static final String UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private static final String INSTANT = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z";

    private static final String WAIT =
            "(?<=\\bin )\\d+(?:\\.\\d+)?s\\b|(?<=, )\\d+(?:\\.\\d+)?s(?= after the first failure)";

    private final Map<String, String> ids = new LinkedHashMap<>();

    private final Pattern token;

    private final String varying;

    /** @param varying a further pattern of text that differs from run to run */
    Output(String varying) {
        this.varying = varying;
        this.token = Pattern.compile("(?<id>" + UUID + ")|(?<instant>" + INSTANT + ")|(?<wait>" + WAIT + ")|(?<varying>"
                + varying + ")|(?<any>\\s*…\\s*)|(?<space>\\s+)");
    }

    boolean matches(String expected, String actual) {
        return find(expected, "^%s$", actual);
    }

    /** Whether a line ends like this. */
    boolean isEndOf(String expected, String line) {
        return find(expected, "(?:^|\\s)%s$", line);
    }

    private boolean find(String expected, String form, String actual) {
        Map<String, String> groups = new LinkedHashMap<>();
        StringBuilder pattern = new StringBuilder();
        String text = expected.strip();
        Matcher tokens = token.matcher(text);
        int end = 0;
        while (tokens.find()) {
            pattern.append(Pattern.quote(text.substring(end, tokens.start()))).append(pattern(tokens, groups));
            end = tokens.end();
        }
        pattern.append(Pattern.quote(text.substring(end)));
        Matcher match = Pattern.compile(form.formatted(pattern), Pattern.DOTALL).matcher(actual.strip());
        if (!match.find()) {
            return false;
        }
        for (Map.Entry<String, String> entry : groups.entrySet()) {
            String actualId = match.group(entry.getValue());
            if (ids.containsValue(actualId)) {
                return false;
            }
            ids.put(entry.getKey(), actualId);
        }
        return true;
    }

    private String pattern(Matcher token, Map<String, String> groups) {
        String id = token.group("id");
        if (id != null && ids.containsKey(id)) {
            return Pattern.quote(ids.get(id));
        }
        if (id != null && groups.containsKey(id)) {
            return "\\k<" + groups.get(id) + ">";
        }
        if (id != null) {
            groups.put(id, "id" + groups.size());
            return "(?<" + groups.get(id) + ">" + UUID + ")";
        }
        if (token.group("instant") != null) {
            return INSTANT;
        }
        if (token.group("wait") != null) {
            return WAIT;
        }
        if (token.group("varying") != null) {
            return varying;
        }
        return token.group("any") != null ? ".*" : "\\s+";
    }
}

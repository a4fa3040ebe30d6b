// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Reads {@code RateLimit} and {@code RateLimit-Policy} (draft-ietf-httpapi-ratelimit-headers, 08 and later). Both are
 * lists of structured fields (RFC 9651): names of policies, each with parameters, such as {@code "hourly";r=0;t=1200}.
 */
final class RateLimitFields {

    /** A string in quotes. The quantifiers are possessive, here and below, so that no text makes the match slow. */
    private static final String STRING = "\"(?:[^\"\\\\]|\\\\[\"\\\\])*+\"";

    private static final String PARAMETER = "\\s*+;\\s*+([a-z*][a-z0-9_.*-]*+)(?:=(" + STRING + "|[^\\s;,\"]++))?+";

    private static final Pattern PARAMETERS = Pattern.compile(PARAMETER);

    private static final Pattern ITEM = Pattern.compile(
            "\\s*+(?<name>" + STRING + "|[A-Za-z*][^\\s;,\"]*+)(?<parameters>(?:" + PARAMETER + ")*+)\\s*+(?:,|$)");

    private RateLimitFields() {}

    /**
     * Returns the seconds until the last used-up limit allows requests again. If a limit has no time, the time window of its
     * policy counts. Returns {@code null} if no limit is used up, or a field is not readable.
     */
    static @Nullable Long reset(HttpHeaders headers) {
        Map<String, Map<String, String>> windows = read(headers, "RateLimit-Policy");
        Long last = null;
        for (Map.Entry<String, Map<String, String>> limit :
                read(headers, "RateLimit").entrySet()) {
            Map<String, String> parameters = limit.getValue();
            if (!Long.valueOf(0).equals(number(parameters, "r"))) {
                continue;
            }
            Long reset = number(parameters, "t");
            if (reset == null) {
                reset = number(windows.getOrDefault(limit.getKey(), Map.of()), "w");
            }
            if (reset != null && (last == null || reset > last)) {
                last = reset;
            }
        }
        return last;
    }

    private static @Nullable Long number(Map<String, String> parameters, String name) {
        return RetryAfterHeaders.number(parameters.getOrDefault(name, ""));
    }

    /** Returns the parameters by policy name, or an empty map if a part of the field cannot be read. */
    private static Map<String, Map<String, String>> read(HttpHeaders headers, String field) {
        String text = String.join(",", headers.getOrEmpty(field));
        Map<String, Map<String, String>> items = new HashMap<>();
        Matcher item = ITEM.matcher(text);
        for (int next = 0; next < text.length(); next = item.end()) {
            if (!item.region(next, text.length()).lookingAt()) {
                return Map.of();
            }
            Map<String, String> parameters = new HashMap<>();
            Matcher parameter = PARAMETERS.matcher(item.group("parameters"));
            while (parameter.find()) {
                parameters.put(parameter.group(1), parameter.group(2) == null ? "" : parameter.group(2));
            }
            items.put(item.group("name"), parameters);
        }
        return items;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.outside;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One step of a script: the answer of a service to one request.
 *
 * @param status the HTTP status; zero for no answer at all
 * @param retryAfter the requested wait in seconds, sent as Retry-After; null for none
 */
record Answer(int status, @Nullable String retryAfter) {

    static final Answer OK = new Answer(200, null);

    private static final String NONE = "timeout";

    private static final Pattern ANSWER = Pattern.compile("(?<status>200|202|[45]\\d\\d)(:(?<retryAfter>\\d{1,9}))?");

    /** Reads a script such as {@code 503, timeout, 429:1, 200}. */
    static List<Answer> parse(String script) {
        List<Answer> answers = new ArrayList<>();
        for (String word : script.split(",", -1)) {
            answers.add(parseOne(word.strip()));
        }
        return answers;
    }

    private static Answer parseOne(String word) {
        if (word.equals(NONE)) {
            return new Answer(0, null);
        }
        Matcher answer = ANSWER.matcher(word);
        if (!answer.matches()) {
            throw new IllegalArgumentException(
                    "'" + word + "' is not a valid answer. Use a status (200, 202, 400 to 599),"
                            + " a status with a wait in seconds (429:1), or timeout. Separate answers by commas");
        }
        return new Answer(Integer.parseInt(answer.group("status")), answer.group("retryAfter"));
    }

    boolean isMissing() {
        return status == 0;
    }

    /** Returns whether the service processed the request, even if the caller received no answer. */
    boolean meansDone() {
        return status < 400;
    }

    @Override
    public String toString() {
        if (isMissing()) {
            return NONE;
        }
        return retryAfter == null ? Integer.toString(status) : status + ":" + retryAfter;
    }
}

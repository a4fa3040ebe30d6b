package dev.retryon.sample.outside;

import java.util.ArrayList;
import java.util.List;

/**
 * One step of a script: what a service answers to one request.
 *
 * @param status the HTTP status; zero for no answer at all
 */
record Answer(int status) {

    static final Answer OK = new Answer(200);

    private static final String NONE = "timeout";

    /** Reads a script such as {@code 503, timeout, 200}. */
    static List<Answer> parse(String script) {
        List<Answer> answers = new ArrayList<>();
        for (String word : script.split(",", -1)) {
            answers.add(parseOne(word.strip()));
        }
        return answers;
    }

    private static Answer parseOne(String word) {
        if (word.equals(NONE)) {
            return new Answer(0);
        }
        if (!word.matches("200|202|[45]\\d\\d")) {
            throw new IllegalArgumentException(
                    "'" + word + "' is no answer; an answer is 200, 202, 400 to 599, or timeout");
        }
        return new Answer(Integer.parseInt(word));
    }

    boolean isMissing() {
        return status == 0;
    }

    /** Whether the service did what it was asked to, whatever the caller heard of it. */
    boolean meansDone() {
        return status < 400;
    }

    @Override
    public String toString() {
        return isMissing() ? NONE : Integer.toString(status);
    }
}

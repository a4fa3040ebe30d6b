// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The conditions of a filter in SQL. Every value from outside is a parameter. */
final class DeadLetterQuery {

    private final List<String> conditions = new ArrayList<>();

    private final Map<String, Object> params = new HashMap<>();

    DeadLetterQuery(String application, DeadLetterFilter filter) {
        equal("task_name", "application", application);
        conditions.add("died_at is not null");
        if (!filter.statuses().isEmpty()) {
            conditions.add("state in (:states)");
            params.put(
                    "states",
                    filter.statuses().stream().map(DeadLetterRow::state).toList());
        }
        equal("name", "name", RetryStore.storable(filter.name(), RetryStore.LONGEST_NAME));
        equal("error_type", "errorType", RetryStore.storable(filter.errorType(), DeadLetterRow.LONGEST_TYPE));
        if (filter.text() != null) {
            conditions.add("(lower(task_instance) like :text escape '!' or lower(method) like :text escape '!'"
                    + " or lower(error_type) like :text escape '!' or lower(error_message) like :text escape '!')");
            params.put("text", RetryStore.containing(filter.text()));
        }
        if (filter.diedFrom() != null) {
            conditions.add("died_at >= :diedFrom");
            params.put("diedFrom", millis(filter.diedFrom()));
        }
        if (filter.diedBefore() != null) {
            conditions.add("died_at < :diedBefore");
            params.put("diedBefore", millis(filter.diedBefore()));
        }
    }

    private void equal(String column, String param, @Nullable String value) {
        if (value != null) {
            conditions.add(column + " = :" + param);
            params.put(param, value);
        }
    }

    void after(String cursor) {
        int end = cursor.indexOf('_');
        try {
            params.put("cursorAt", Long.parseLong(cursor.substring(0, end)));
        } catch (RuntimeException ex) {
            throw new IllegalArgumentException(
                    "cursor is '" + cursor + "', which is not a valid cursor; use the next"
                            + " value of a previous page",
                    ex);
        }
        params.put("cursorId", RetryStore.storable(cursor.substring(end + 1)));
        conditions.add("(died_at < :cursorAt or (died_at = :cursorAt and task_instance < :cursorId))");
    }

    static String cursor(DeadLetterSummary letter) {
        return letter.diedAt().toEpochMilli() + "_" + letter.id();
    }

    /** Times are stored in milliseconds: one is before another if it is before the millisecond that follows it. */
    static long millis(Instant time) {
        try {
            long millis = time.toEpochMilli();
            return time.equals(Instant.ofEpochMilli(millis)) ? millis : millis + 1;
        } catch (ArithmeticException ex) {
            return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    String where() {
        return " where " + String.join(" and ", conditions);
    }

    Map<String, Object> params() {
        return params;
    }
}

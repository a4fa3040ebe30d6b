// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.ErrorText;
import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.json.JsonWriter;

/**
 * A dead letter as a row. A row may have been edited, or written by another version. Values that can't be read are left out, so
 * that operators can still see the dead letter.
 */
final class DeadLetterRow {

    static final String COLUMNS =
            "id, application, name, method, bean, arguments, error_code, error_type, error_message, stack_trace,"
                    + " failures, attempts, reason, first_failed_at, died_at, status, trace_id, trace_parent, actions, held_until,"
                    + " held_by";

    /** The longest class name that the column takes, in characters. */
    static final int LONGEST_TYPE = 500;

    /** Short columns only. A row may have been edited, so that even its message is too long for a list. */
    static final String SUMMARY =
            "id, name, error_code, error_type, substr(error_message, 1, " + (ErrorText.LONGEST + 1)
                    + ") as error_message, attempts, reason, first_failed_at, died_at, status, trace_id, held_until";

    static final String INSERT = "insert into " + RetryStore.DEAD_LETTERS + " (" + COLUMNS + ") values (:"
            + COLUMNS.replace(", ", ", :") + ")";

    static final String UPDATE = "update " + RetryStore.DEAD_LETTERS + " set "
            + String.join(
                    ", ",
                    List.of(COLUMNS.split(", ")).stream()
                            .filter(column -> !column.equals("id"))
                            .map(column -> column + " = "
                                    + (column.equals("arguments") ? "coalesce(:arguments, arguments)" : ":" + column))
                            .toList())
            + " where id = :id";

    private static final JsonWriter<List<?>> JSON = JsonWriter.standard();

    private DeadLetterRow() {}

    static Map<String, @Nullable Object> of(DeadLetter letter, String application) {
        Map<String, @Nullable Object> row = new HashMap<>();
        row.put("id", letter.id());
        row.put("application", application);
        row.put("name", RetryStore.storable(letter.name(), RetryStore.LONGEST_NAME));
        row.put("method", whole(letter.method()));
        row.put("bean", whole(letter.bean()));
        row.put("arguments", whole(letter.arguments()));
        row.put("error_code", RetryStore.storable(letter.errorCode(), 255));
        row.put("error_type", RetryStore.storable(letter.errorType(), LONGEST_TYPE));
        row.put("error_message", whole(letter.errorMessage()));
        row.put("stack_trace", whole(letter.stackTrace()));
        row.put(
                "failures",
                JSON.writeToString(
                        letter.failures().stream().map(DeadLetterRow::failure).toList()));
        row.put("attempts", letter.attempts());
        row.put("reason", letter.reason().name());
        row.put("first_failed_at", letter.firstFailedAt().toEpochMilli());
        row.put("died_at", letter.diedAt().toEpochMilli());
        row.put("status", letter.status().name());
        row.put("trace_id", RetryStore.storable(letter.traceId(), 100));
        row.put("trace_parent", RetryStore.storable(letter.traceParent(), 100));
        row.put("actions", actions(letter));
        row.put("held_until", null);
        row.put("held_by", null);
        return row;
    }

    static String actions(DeadLetter letter) {
        return JSON.writeToString(
                letter.actions().stream().map(DeadLetterRow::action).toList());
    }

    private static Map<String, @Nullable Object> failure(DeadLetter.Failure failure) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("attempt", failure.attempt());
        fields.put("errorType", whole(failure.errorType()));
        fields.put("errorMessage", whole(failure.errorMessage()));
        fields.put("at", failure.at() == null ? null : failure.at().toEpochMilli());
        return fields;
    }

    private static Map<String, @Nullable Object> action(DeadLetter.Action action) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("at", action.at().toEpochMilli());
        fields.put("by", whole(action.by()));
        fields.put("what", action.what().name());
        fields.put("detail", whole(action.detail()));
        return fields;
    }

    private static @Nullable String whole(@Nullable String text) {
        return text == null ? null : RetryStore.storable(text);
    }

    /** Reads a row. A hold that has expired at the given time does not count. */
    static DeadLetter read(ResultSet row, long now) throws SQLException {
        return new DeadLetter(
                row.getString("id"),
                row.getString("name"),
                row.getString("method"),
                row.getString("bean"),
                row.getString("arguments"),
                row.getString("error_code"),
                row.getString("error_type"),
                row.getString("error_message"),
                row.getString("stack_trace"),
                list(row.getString("failures"), DeadLetterRow::failure),
                row.getInt("attempts"),
                reason(row.getString("reason")),
                Instant.ofEpochMilli(row.getLong("first_failed_at")),
                Instant.ofEpochMilli(row.getLong("died_at")),
                status(row, now),
                row.getString("trace_id"),
                row.getString("trace_parent"),
                list(row.getString("actions"), DeadLetterRow::action));
    }

    static DeadLetterSummary summary(ResultSet row, long now) throws SQLException {
        return new DeadLetterSummary(
                row.getString("id"),
                row.getString("name"),
                row.getString("error_code"),
                row.getString("error_type"),
                row.getString("error_message"),
                row.getInt("attempts"),
                reason(row.getString("reason")),
                Instant.ofEpochMilli(row.getLong("first_failed_at")),
                Instant.ofEpochMilli(row.getLong("died_at")),
                status(row, now),
                row.getString("trace_id"));
    }

    private static DeadLetterStatus status(ResultSet row, long now) throws SQLException {
        DeadLetterStatus status = status(row.getString("status"));
        long until = row.getLong("held_until");
        boolean isLapsed = status == DeadLetterStatus.RETRYING && !row.wasNull() && until < now;
        return isLapsed ? DeadLetterStatus.DEAD : status;
    }

    static DeadLetterStatus status(String text) {
        try {
            return DeadLetterStatus.valueOf(text);
        } catch (IllegalArgumentException ex) {
            return DeadLetterStatus.DEAD;
        }
    }

    private static StopReason reason(String text) {
        try {
            return StopReason.valueOf(text);
        } catch (IllegalArgumentException ex) {
            return StopReason.UNRESOLVABLE;
        }
    }

    private static <T> List<T> list(@Nullable String text, Function<Map<?, ?>, T> item) {
        try {
            return JsonParserFactory.getJsonParser().parseList(text).stream()
                    .map(each -> item.apply((Map<?, ?>) each))
                    .toList();
        } catch (RuntimeException ex) {
            return List.of();
        }
    }

    private static DeadLetter.Failure failure(Map<?, ?> fields) {
        return new DeadLetter.Failure(
                (int) number(fields, "attempt"),
                text(fields.get("errorType")),
                text(fields.get("errorMessage")),
                fields.get("at") instanceof Number at ? Instant.ofEpochMilli(at.longValue()) : null);
    }

    private static DeadLetter.Action action(Map<?, ?> fields) {
        return new DeadLetter.Action(
                Instant.ofEpochMilli(number(fields, "at")),
                text(fields.get("by")),
                DeadLetterStatus.valueOf(String.valueOf(fields.get("what"))),
                text(fields.get("detail")));
    }

    private static long number(Map<?, ?> fields, String name) {
        if (fields.get(name) instanceof Number number) {
            return number.longValue();
        }
        throw new IllegalArgumentException("there is no number '" + name + "'");
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.fasterxml.jackson.annotation.Nulls;
import dev.retryon.ErrorText;
import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A dead letter as a row. A row may have been edited, or written by another version. Values that can't be read are left out, so
 * that operators can still see the dead letter.
 */
final class DeadLetterRow {

    static final String COLUMNS =
            "id, application, name, method, bean, arguments, error_code, error_type, error_message, stack_trace,"
                    + " failures, attempts, reason, first_failed_at, died_at, status, trace_id, trace_parent, actions";

    /** The longest class name that the column takes, in characters. */
    static final int LONGEST_TYPE = 500;

    /** Short columns only. A row may have been edited, so that even its message is too long for a list. */
    static final String SUMMARY =
            "id, name, error_code, error_type, substr(error_message, 1, " + (ErrorText.LONGEST + 1)
                    + ") as error_message, attempts, reason, first_failed_at, died_at, status, trace_id";

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

    private static final JsonMapper JSON = JsonMapper.builder()
            .changeDefaultNullHandling(nulls -> nulls.withContentNulls(Nulls.FAIL))
            .enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(
                    DateTimeFeature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS,
                    DateTimeFeature.READ_DATE_TIMESTAMPS_AS_NANOSECONDS)
            .build();

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
        row.put("failures", JSON.writeValueAsString(letter.failures()));
        row.put("attempts", letter.attempts());
        row.put("reason", letter.reason().name());
        row.put("first_failed_at", letter.firstFailedAt().toEpochMilli());
        row.put("died_at", letter.diedAt().toEpochMilli());
        row.put("status", letter.status().name());
        row.put("trace_id", RetryStore.storable(letter.traceId(), 100));
        row.put("trace_parent", RetryStore.storable(letter.traceParent(), 100));
        row.put("actions", actions(letter));
        return row;
    }

    static String actions(DeadLetter letter) {
        return JSON.writeValueAsString(letter.actions());
    }

    private static @Nullable String whole(@Nullable String text) {
        return text == null ? null : RetryStore.storable(text);
    }

    static DeadLetter read(ResultSet row) throws SQLException {
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
                list(row.getString("failures"), DeadLetter.Failure.class),
                row.getInt("attempts"),
                reason(row.getString("reason")),
                Instant.ofEpochMilli(row.getLong("first_failed_at")),
                Instant.ofEpochMilli(row.getLong("died_at")),
                status(row.getString("status")),
                row.getString("trace_id"),
                row.getString("trace_parent"),
                list(row.getString("actions"), DeadLetter.Action.class));
    }

    static DeadLetterSummary summary(ResultSet row) throws SQLException {
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
                status(row.getString("status")),
                row.getString("trace_id"));
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

    private static <T> List<T> list(@Nullable String text, Class<T> item) {
        try {
            List<T> items = text == null ? null : JSON.readerForListOf(item).readValue(text);
            return items == null ? List.of() : items;
        } catch (JacksonException ex) {
            return List.of();
        }
    }
}

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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A dead letter as a row. A row may have been edited, or written by another version. Values that can't be read are left out, so
 * that operators can still see the dead letter.
 */
final class DeadLetterRow {

    /** The columns of a dead letter, with its id. */
    static final String COLUMNS =
            "task_instance, name, method, bean, arguments, error_code, error_type, error_message, stack_trace, failures,"
                    + " attempt, reason, first_failed_at, died_at, state, trace_id, trace_parent, actions";

    /** The longest class name that the column takes, in characters. */
    static final int LONGEST_TYPE = 500;

    /** Short columns only. A row may have been edited, so that even its message is too long for a list. */
    static final String SUMMARY = "task_instance, name, error_code, error_type, substr(error_message, 1, "
            + (ErrorText.LONGEST + 1)
            + ") as error_message, attempt, reason, first_failed_at, died_at, state, trace_id";

    /** A call that was not stored before. It gets a due time when it is resent. */
    static final String INSERT = "insert into " + RetryStore.CALLS
            + " (task_name, execution_time, picked, version, started_at, " + COLUMNS + ") values (:task_name, "
            + "%s, false, 1, :first_failed_at, :" + COLUMNS.replace(", ", ", :") + ")";

    /** Turns a call into a dead letter. The columns replace its content. */
    static final String UPDATE = "update " + RetryStore.CALLS + " set "
            + Stream.of(COLUMNS.split(", "))
                    .filter(column -> !column.equals("task_instance"))
                    .map(column -> column + " = "
                            + (column.equals("arguments") ? "coalesce(:arguments, arguments)" : ":" + column))
                    .collect(Collectors.joining(", "))
            + ", " + RetryStore.NOT_LEASED + ", task_data = null, unique_key = null"
            + " where task_name = :task_name and task_instance = :task_instance";

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
        row.put("task_name", application);
        row.put("task_instance", letter.id());
        row.put("name", RetryStore.storable(letter.name(), RetryStore.LONGEST_NAME));
        row.put("method", whole(letter.method()));
        row.put("bean", whole(letter.bean()));
        row.put("arguments", whole(letter.arguments()));
        row.put("error_code", RetryStore.storable(letter.errorCode(), 255));
        row.put("error_type", RetryStore.storable(letter.errorType(), LONGEST_TYPE));
        row.put("error_message", whole(letter.errorMessage()));
        row.put("stack_trace", whole(letter.stackTrace()));
        row.put("failures", JSON.writeValueAsString(letter.failures()));
        row.put("attempt", letter.attempts());
        row.put("reason", letter.reason().name());
        row.put("first_failed_at", letter.firstFailedAt().toEpochMilli());
        row.put("died_at", letter.diedAt().toEpochMilli());
        row.put("state", state(letter.status()));
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
                row.getString("task_instance"),
                row.getString("name"),
                row.getString("method"),
                row.getString("bean"),
                row.getString("arguments"),
                row.getString("error_code"),
                row.getString("error_type"),
                row.getString("error_message"),
                row.getString("stack_trace"),
                list(row.getString("failures"), DeadLetter.Failure.class),
                row.getInt("attempt"),
                reason(row.getString("reason")),
                Instant.ofEpochMilli(row.getLong("first_failed_at")),
                Instant.ofEpochMilli(row.getLong("died_at")),
                status(row.getString("state")),
                row.getString("trace_id"),
                row.getString("trace_parent"),
                list(row.getString("actions"), DeadLetter.Action.class));
    }

    static DeadLetterSummary summary(ResultSet row) throws SQLException {
        return new DeadLetterSummary(
                row.getString("task_instance"),
                row.getString("name"),
                row.getString("error_code"),
                row.getString("error_type"),
                row.getString("error_message"),
                row.getInt("attempt"),
                reason(row.getString("reason")),
                Instant.ofEpochMilli(row.getLong("first_failed_at")),
                Instant.ofEpochMilli(row.getLong("died_at")),
                status(row.getString("state")),
                row.getString("trace_id"));
    }

    /** The state of the call of a dead letter: one that is resent waits or runs. */
    static String state(DeadLetterStatus status) {
        return status == DeadLetterStatus.RETRYING ? RetryStore.WAITING : status.name();
    }

    static DeadLetterStatus status(String state) {
        return Stream.of(DeadLetterStatus.values())
                .filter(status -> state(status).equals(state))
                .findFirst()
                .orElse(DeadLetterStatus.DEAD);
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

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.fasterxml.jackson.annotation.Nulls;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import dev.retryon.ErrorText;
import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.Sections;
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

/** A call as a row, perhaps edited or from another version. Unreadable values are omitted, so operators still see the call. */
final class CallRow {

    /** The columns of a dead letter, including the id. */
    static final String COLUMNS =
            "task_instance, name, method, bean, arguments, error_code, error_type, error_message, stack_trace, failures,"
                    + " attempt, reason, first_failed_at, died_at, state, lane, trace_id, trace_parent, actions";

    /** The maximum length of class names in the column, in characters. */
    static final int LONGEST_TYPE = 500;

    /** The short columns of a waiting or running call. */
    static final String OPEN =
            "task_instance, name, error_type, lane, attempt, started_at, execution_time, state, picked, version";

    /** The short columns of a dead call. A row might have been edited so that even the message is too long for a list. */
    static final String DIED =
            "task_instance, name, error_type, lane, attempt, state, reason, first_failed_at, died_at,"
                    + " substr(error_message, 1, " + (ErrorText.LONGEST + 1) + ") as error_message";

    /** All columns but the content of the next attempt. */
    static final String ALL = COLUMNS + ", started_at, execution_time, picked, version";

    /** A call that was not stored before, which gets a due time when it is resent. */
    static final String INSERT = "insert into " + RetryStore.CALLS
            + " (task_name, execution_time, picked, version, started_at, " + COLUMNS + ") values (:task_name, "
            + "%s, false, 1, :first_failed_at, :" + COLUMNS.replace(", ", ", :") + ")";

    /** Turns a call into a dead letter. The columns replace the call's content. */
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

    private CallRow() {}

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
        row.put("state", letter.state().name());
        row.put("lane", RetryStore.storable(letter.lane()));
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

    static DeadLetter letter(ResultSet row) throws SQLException {
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
                list(row.getString("failures"), StoredCall.Failure.class),
                row.getInt("attempt"),
                reason(row.getString("reason")),
                Instant.ofEpochMilli(row.getLong("first_failed_at")),
                Instant.ofEpochMilli(row.getLong("died_at")),
                state(row),
                row.getString("lane"),
                row.getString("trace_id"),
                row.getString("trace_parent"),
                list(row.getString("actions"), StoredCall.Action.class));
    }

    static CallStore.Found found(ResultSet row, JdbcCustomization dialect) throws SQLException {
        return new CallStore.Found(
                summary(row, dialect), row.getLong("version"), row.getObject("died_at") == null ? null : letter(row));
    }

    /** Reads {@link #OPEN} or {@link #DIED}. */
    static StoredCalls.Summary summary(ResultSet row, JdbcCustomization dialect) throws SQLException {
        String name = row.getString("name");
        StoredCall.State state = state(row);
        boolean isOpen = Sections.isOpen(state);
        return new StoredCalls.Summary(
                row.getString("task_instance"),
                name == null ? CallStore.UNKNOWN : name,
                isOpen && row.getBoolean("picked") ? StoredCall.State.RUNNING : state,
                isOpen ? null : reason(row.getString("reason")),
                row.getString("error_type"),
                isOpen ? null : row.getString("error_message"),
                row.getString("lane"),
                row.getInt("attempt"),
                time(row, isOpen ? "started_at" : "first_failed_at"),
                isOpen ? dialect.getInstant(row, "execution_time") : null,
                isOpen ? null : time(row, "died_at"));
    }

    static @Nullable Instant time(ResultSet row, String column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    /** Returns a call's state, regardless of whether a worker has leased it. */
    private static StoredCall.State state(ResultSet row) throws SQLException {
        return state(row.getString("state"));
    }

    static StoredCall.State state(String text) {
        return Stream.of(StoredCall.State.values())
                .filter(state ->
                        state != StoredCall.State.RUNNING && state.name().equals(text))
                .findFirst()
                .orElse(StoredCall.State.DEAD);
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

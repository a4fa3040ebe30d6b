// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Summary;
import dev.retryon.durable.internal.engine.Sections;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.SqlTypeValue;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The SQL conditions and order of one section in a list. Every external value is a parameter. */
final class CallQuery {

    /** The range of times that the tables of all databases can store. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private final String mine;

    private final boolean isOpen;

    private final JdbcCustomization dialect;

    private final StringBuilder where;

    private final Map<String, Object> params = new HashMap<>();

    /** @param mine the condition that a row belongs to the application */
    CallQuery(String mine, Filter section, JdbcCustomization dialect) {
        this.mine = mine;
        this.dialect = dialect;
        this.isOpen = Sections.isOpen(section);
        this.where = new StringBuilder(" from " + RetryStore.CALLS + " where " + mine);
        State state = section.states().iterator().next();
        // Conditions of partial indexes.
        boolean isBlocked = state == State.BLOCKED;
        add(
                isBlocked
                        ? "order_key is not null and state = 'BLOCKED'"
                        : isOpen ? "state = 'WAITING'" : "died_at is not null and state = '" + state + "'");
        if (isOpen && !isBlocked && section.states().size() == 1) {
            add("picked = :picked", "picked", state == State.RUNNING);
        }
        equal("name", RetryStore.storable(section.name(), RetryStore.LONGEST_NAME));
        equal("error_type", RetryStore.storable(section.errorType(), CallRow.LONGEST_TYPE));
        equal("lane", RetryStore.storable(section.lane(), CallRow.LONGEST_TYPE));
        if (section.text() != null) {
            add(
                    "(lower(task_instance) like :text escape '!' or lower(name) like :text escape '!'"
                            + " or lower(error_type) like :text escape '!'"
                            + (isOpen
                                    ? ")"
                                    : " or lower(method) like :text escape '!'"
                                            + " or lower(error_message) like :text escape '!')"),
                    "text",
                    RetryStore.containing(section.text()));
        }
        String time = isOpen ? "started_at" : "died_at";
        if (section.from() != null) {
            add(time + " >= :from", "from", millis(section.from()));
        }
        if (section.before() != null) {
            add(time + " < :before", "before", millis(section.before()));
        }
    }

    private void equal(String column, @Nullable String value) {
        if (value != null) {
            add(column + " = :" + column, column, value);
        }
    }

    private void add(String condition, String param, Object value) {
        add(condition);
        params.put(param, value);
    }

    private void add(String condition) {
        where.append(" and ").append(condition);
    }

    void after(String cursor) {
        int end = cursor.indexOf('_');
        String time = cursor.substring(0, Math.max(0, end));
        params.put("cursorId", RetryStore.storable(cursor.substring(end + 1)));
        if (isOpen) {
            Instant due = Instant.parse(time);
            if (due.isBefore(EARLIEST) || due.isAfter(LATEST)) {
                throw new IllegalArgumentException("the due time is out of range");
            }
            add(
                    "execution_time >= :cursorAt and (execution_time > :cursorAt or task_instance > :cursorId)",
                    "cursorAt",
                    time(due, dialect));
        } else {
            add(
                    "(died_at < :cursorAt or (died_at = :cursorAt and task_instance < :cursorId))",
                    "cursorAt",
                    Long.parseLong(time));
        }
    }

    void afterId(String id) {
        add("task_instance > :cursorId", "cursorId", id);
    }

    String cursor(Summary last) {
        Instant died = last.diedAt();
        return (died == null ? String.valueOf(last.due()) : String.valueOf(died.toEpochMilli())) + "_" + last.id();
    }

    JdbcClient.StatementSpec page(JdbcClient client, boolean isInnoDb, String hint, long limit) {
        String order = " order by " + (isOpen ? "execution_time, task_instance" : "died_at desc, task_instance desc");
        String page = order + " limit " + limit;
        if (!isOpen || !isInnoDb) {
            return select(client, isOpen ? CallRow.OPEN : CallRow.DIED, page);
        }
        // An index has the columns that select and sort the calls. With further columns in the same statement, MariaDB
        // and MySQL would read all rows instead, including dead letters. H2 takes longer with a subquery.
        String first = " join (select " + hint + "task_instance as page_id" + where + page
                + ") page on task_instance = page_id";
        return client.sql("select " + CallRow.OPEN + " from " + RetryStore.CALLS + first + " where " + mine + order)
                .params(params);
    }

    static SqlTypeValue time(Instant time, JdbcCustomization dialect) {
        return (statement, index, type, name) -> dialect.setInstant(statement, index, time);
    }

    /** Rounds a limit up to the next millisecond, because times are stored in milliseconds. */
    static long millis(Instant time) {
        try {
            long millis = time.toEpochMilli();
            return time.equals(Instant.ofEpochMilli(millis)) ? millis : millis + 1;
        } catch (ArithmeticException ex) {
            return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    JdbcClient.StatementSpec select(JdbcClient client, String what, String rest) {
        return client.sql("select " + what + where + rest).params(params);
    }
}

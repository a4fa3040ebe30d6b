// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Calls in memory. A call that is stored in a transaction of Spring has its id and key at once, and is visible after the
 * commit. Thread-safe.
 */
final class MemoryCalls implements CallLedger, CallEngine.Transactions {

    static final Comparator<Row> BY_DUE = Comparator.comparing(Row::due).thenComparing(Row::number);

    private final DeadLetterStore letters;

    private final Map<String, Row> rows = new HashMap<>();

    /** The ids of running calls that run once more, because another call with their key was not stored. */
    private final Set<String> again = new HashSet<>();

    private long numbers;

    MemoryCalls(DeadLetterStore letters) {
        this.letters = letters;
    }

    /** The calls that have died. */
    DeadLetterStore letters() {
        return letters;
    }

    /**
     * A call as it was written last.
     *
     * @param number the order in which calls were stored
     * @param visible whether the transaction that has stored it is committed
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by revision
    record Row(
            String id,
            @Nullable String key,
            byte[] call,
            CallEngine.Label label,
            Instant due,
            long number,
            long revision,
            boolean running,
            boolean revived,
            boolean visible) {

        Row leased() {
            return new Row(id, key, call, label, due, number, revision + 1, true, revived, visible);
        }

        Row waiting(byte[] next, CallEngine.Label nextLabel, Instant nextDue, boolean isRevived) {
            return new Row(id, key, next, nextLabel, nextDue, number, revision + 1, false, isRevived, visible);
        }

        StoredCalls.Call shown() {
            return new StoredCalls.Call(
                    id, label.name(), label.errorType(), label.lane(), label.attempt(), label.startedAt(), due);
        }

        Entry entry() {
            return new Entry(
                    id,
                    label.name(),
                    label.errorType(),
                    label.lane(),
                    label.attempt(),
                    label.startedAt(),
                    due,
                    running,
                    revision);
        }
    }

    /** Adds a call; returns {@code false} if there is a call with its key. */
    synchronized boolean add(String id, @Nullable String key, byte[] call, CallEngine.Label label, Instant due) {
        if (rows.containsKey(id)) {
            throw new IllegalStateException("a call with the id '" + id + "' is stored");
        }
        boolean joins = !isWriting()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
        Row holder = rows.values().stream()
                .filter(row -> key != null && key.equals(row.key()))
                .findFirst()
                .orElse(null);
        if (holder != null) {
            if (joins) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        runAgain(holder.id());
                    }
                });
            } else {
                runAgain(holder.id());
            }
            return false;
        }
        put(id, new Row(id, key, call.clone(), label, due, numbers++, 1, false, false, !joins));
        if (joins) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    complete(id, status == STATUS_COMMITTED);
                }
            });
        }
        return true;
    }

    private synchronized void complete(String id, boolean committed) {
        Row row = rows.remove(id);
        if (row != null && committed) {
            rows.put(
                    id,
                    new Row(id, row.key(), row.call(), row.label(), row.due(), row.number(), 1, false, false, true));
        }
    }

    private synchronized void runAgain(String id) {
        Row row = rows.get(id);
        if (row != null && row.running()) {
            again.add(id);
        }
    }

    /** Whether a running call must run once more instead of ending. */
    synchronized boolean isToRunAgain(Row row) {
        return again.contains(row.id());
    }

    /** Replaces a call; returns {@code false} if it was changed meanwhile. */
    synchronized boolean change(Row expected, @Nullable Row next) {
        Row now = rows.get(expected.id());
        boolean isUnchanged = now != null && now.revision() == expected.revision();
        if (isUnchanged) {
            put(expected.id(), next);
            again.remove(expected.id());
        }
        return isUnchanged;
    }

    synchronized void clear() {
        rows.clear();
        again.clear();
    }

    private synchronized void put(String id, @Nullable Row next) {
        Row before = next == null ? rows.remove(id) : rows.put(id, next);
        if (TransactionSynchronizationManager.getResource(this) instanceof Undo undo) {
            undo.steps.push(() -> {
                if (before == null) {
                    rows.remove(id);
                } else {
                    rows.put(id, before);
                }
            });
        }
    }

    /** All calls that are visible. */
    synchronized List<Row> all(Comparator<Row> order) {
        return rows.values().stream().filter(Row::visible).sorted(order).toList();
    }

    /** The writes that an exception takes back. */
    private static final class Undo {

        private final Deque<Runnable> steps = new ArrayDeque<>();
    }

    private boolean isWriting() {
        return TransactionSynchronizationManager.hasResource(this);
    }

    @Override
    public <T extends @Nullable Object> T write(Supplier<T> writes) {
        if (isWriting()) {
            return writes.get();
        }
        Undo undo = new Undo();
        TransactionSynchronizationManager.bindResource(this, undo);
        boolean done = false;
        try {
            T result = writes.get();
            done = true;
            return result;
        } finally {
            TransactionSynchronizationManager.unbindResource(this);
            if (!done) {
                synchronized (this) {
                    undo.steps.forEach(Runnable::run);
                }
            }
        }
    }

    @Override
    public Page list(Filter filter, @Nullable String cursor, int limit) {
        List<Row> found =
                matching(filter, BY_DUE).filter(after(cursor)).limit(limit + 1L).toList();
        boolean isLast = found.size() <= limit;
        List<Row> page = isLast ? found : found.subList(0, limit);
        return new Page(page.stream().map(Row::entry).toList(), isLast ? null : cursor(page.get(limit - 1)));
    }

    private static String cursor(Row row) {
        return row.due() + "_" + row.number();
    }

    private static Predicate<Row> after(@Nullable String cursor) {
        if (cursor == null) {
            return row -> true;
        }
        try {
            int end = cursor.indexOf('_');
            Instant due = Instant.parse(cursor.substring(0, end));
            long number = Long.parseLong(cursor.substring(end + 1));
            return row -> row.due().isAfter(due) || (row.due().equals(due) && row.number() > number);
        } catch (RuntimeException ex) {
            throw new IllegalArgumentException("cursor is '" + cursor + "', which is not a valid cursor", ex);
        }
    }

    @Override
    public List<Entry> listById(Filter filter, @Nullable String after, int limit) {
        return matching(filter, Comparator.comparing(Row::id))
                .filter(row -> after == null || row.id().compareTo(after) > 0)
                .limit(limit)
                .map(Row::entry)
                .toList();
    }

    @Override
    public long count(Filter filter) {
        return matching(filter, BY_DUE).count();
    }

    @Override
    public List<Group> groups(Filter filter, int limit) {
        return matching(filter, BY_DUE)
                .map(Row::entry)
                .collect(Collectors.groupingBy(entry -> entry.name() + "\n" + entry.errorType()))
                .values()
                .stream()
                .map(MemoryCalls::group)
                .sorted(Comparator.comparing(Group::count).reversed())
                .limit(limit)
                .toList();
    }

    private static Group group(List<Entry> calls) {
        Entry first = calls.get(0);
        return new Group(
                first.name(),
                first.errorType(),
                calls.size(),
                calls.stream()
                        .map(Entry::startedAt)
                        .min(Comparator.naturalOrder())
                        .orElse(null),
                first.due());
    }

    @Override
    public Optional<Entry> find(String id) {
        return row(id).map(Row::entry);
    }

    private synchronized Optional<Row> row(String id) {
        return Optional.ofNullable(rows.get(id)).filter(Row::visible);
    }

    @Override
    public byte @Nullable [] read(Entry entry, long longest) {
        return row(entry.id())
                .filter(row -> row.revision() == entry.revision() && row.call().length <= longest)
                .map(row -> row.call().clone())
                .orElse(null);
    }

    @Override
    public synchronized boolean hasten(String id, Instant due) {
        Row row = row(id).orElse(null);
        if (row == null || row.running()) {
            return false;
        }
        if (row.due().isAfter(due)) {
            put(id, row.waiting(row.call(), row.label(), due, row.revived()));
        }
        return true;
    }

    @Override
    public synchronized boolean giveUp(Entry entry, DeadLetter letter) {
        Row row = row(entry.id()).orElse(null);
        if (row == null || row.running() || row.revision() != entry.revision()) {
            return false;
        }
        put(entry.id(), null);
        letters.put(letter);
        return true;
    }

    private Stream<Row> matching(Filter filter, Comparator<Row> order) {
        return all(order).stream().filter(row -> matches(filter, row));
    }

    private static boolean matches(Filter filter, Row row) {
        CallEngine.Label label = row.label();
        return (filter.name() == null || filter.name().equals(label.name()))
                && (filter.errorType() == null || filter.errorType().equals(label.errorType()))
                && (filter.lane() == null || filter.lane().equals(label.lane()))
                && (filter.startedFrom() == null || !label.startedAt().isBefore(filter.startedFrom()))
                && (filter.startedBefore() == null || label.startedAt().isBefore(filter.startedBefore()))
                && (filter.text() == null
                        || Stream.of(row.id(), label.name(), String.valueOf(label.errorType()))
                                .anyMatch(text -> text.toLowerCase(Locale.ROOT)
                                        .contains(filter.text().toLowerCase(Locale.ROOT))));
    }
}

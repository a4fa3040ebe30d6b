// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Group;
import dev.retryon.durable.StoredCalls.Page;
import dev.retryon.durable.StoredCalls.Summary;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.BulkTask;
import dev.retryon.durable.internal.engine.BulkTaskStore;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.Sections;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The calls of a test, in memory. A call that is stored in one of Spring's transactions occupies its id and key immediately,
 * and is visible after the commit.
 */
final class InMemoryCallStore implements CallStore, CallEngine.Transactions {

    /** Calls that are due at the same time in the order in which they were stored. */
    static final Comparator<Row> BY_DUE = Comparator.comparing(Row::due).thenComparing(Row::number);

    private static final Comparator<Row> IN_LISTS =
            Comparator.comparing(Row::due).thenComparing(Row::id);

    private static final Comparator<DeadLetter> NEWEST_FIRST = Comparator.comparing(DeadLetter::diedAt)
            .thenComparing(DeadLetter::id)
            .reversed();

    private final InstantSource clock;

    private final Map<String, Row> rows = new HashMap<>();

    /** The ids of calls that are not visible yet, because the transaction that stored them is not committed. */
    private final Set<String> uncommitted = new HashSet<>();

    /** The calls that have died, also while they are resent. */
    private final Map<String, DeadLetter> letters = new HashMap<>();

    /** The ids of running calls that must run once more, because another call with their key was not stored. */
    private final Set<String> again = new HashSet<>();

    /** The places of calls with an order key, until they leave the order. */
    private final Map<String, Place> places = new HashMap<>();

    private record Place(String key, long number) {}

    private final Map<String, Mark> marks = new HashMap<>();

    private final Tasks tasks = new Tasks();

    private long numbers;

    InMemoryCallStore(InstantSource clock) {
        this.clock = clock;
    }

    /** A waiting or running call, as it was written last. The number is the order in which calls were stored. */
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
            @Nullable Instant unfitSince) {

        Row leased() {
            return new Row(id, key, call, label, due, number, revision + 1, true, revived, unfitSince);
        }

        Row waiting(byte[] next, CallEngine.Label nextLabel, Instant nextDue, boolean isRevived) {
            return new Row(id, key, next, nextLabel, nextDue, number, revision + 1, false, isRevived, null);
        }

        Row postponed(String method, @Nullable Instant unfit, Instant nextDue) {
            CallEngine.Label next = new CallEngine.Label(
                    label.name(), label.errorType(), label.attempt(), label.startedAt(), label.lane(), method);
            return new Row(id, key, call, next, nextDue, number, revision + 1, false, revived, unfit);
        }
    }

    synchronized Summary summary(Row row) {
        CallEngine.Label label = row.label();
        return new Summary(
                row.id(),
                label.name(),
                row.running() ? State.RUNNING : isBlocked(row.id()) ? State.BLOCKED : State.WAITING,
                null,
                label.errorType(),
                null,
                label.lane(),
                label.attempt(),
                label.startedAt(),
                row.due(),
                null);
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    synchronized boolean add(@Nullable String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        if (rows.containsKey(id)) {
            throw new IllegalStateException("a call with the id '" + id + "' is already stored");
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
        put(id, new Row(id, key, call.clone(), label, due, numbers++, 1, false, false, null));
        if (joins) {
            uncommitted.add(id);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    complete(id, status == STATUS_COMMITTED);
                }
            });
        }
        return true;
    }

    synchronized void addInOrder(String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        add(null, id, call, label, due);
        places.put(id, new Place(key, numbers));
    }

    /** Returns whether a call waits for another call with its order key. */
    synchronized boolean isBlocked(String id) {
        return !id.equals(Objects.requireNonNullElse(waitsFor(id), id));
    }

    @Override
    public synchronized @Nullable String waitsFor(String id) {
        Place mine = places.get(id);
        return mine == null
                ? null
                : places.entrySet().stream()
                        .filter(place -> place.getValue().key().equals(mine.key()))
                        .min(Map.Entry.comparingByValue(Comparator.comparingLong(Place::number)))
                        .map(Map.Entry::getKey)
                        .orElse(null);
    }

    @Override
    public synchronized void leaveOrder(String id) {
        places.remove(id);
    }

    @Override
    public synchronized Blocked blocked() {
        List<Row> blocked =
                open(BY_DUE).stream().filter(row -> isBlocked(row.id())).toList();
        return new Blocked(
                blocked.stream()
                        .map(row -> Objects.requireNonNull(places.get(row.id())).key())
                        .distinct()
                        .count(),
                blocked.size(),
                blocked.stream()
                        .map(row -> row.label().startedAt())
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    private synchronized void complete(String id, boolean committed) {
        uncommitted.remove(id);
        if (!committed) {
            rows.remove(id);
            leaveOrder(id);
        }
    }

    private synchronized void runAgain(String id) {
        Row row = rows.get(id);
        if (row != null && row.running()) {
            again.add(id);
        }
    }

    /** Returns whether a running call must run once more instead of ending. */
    synchronized boolean isToRunAgain(Row row) {
        return again.contains(row.id());
    }

    /** Replaces a call. Returns {@code false} if it was changed meanwhile. */
    synchronized boolean change(Row expected, @Nullable Row next) {
        Row now = rows.get(expected.id());
        boolean isUnchanged = now != null && now.revision() == expected.revision();
        if (isUnchanged) {
            put(expected.id(), next);
            again.remove(expected.id());
            marks.computeIfPresent(expected.id(), (same, mark) -> new Mark(mark.task(), null));
        }
        return isUnchanged;
    }

    /** Ends a call that was resent. */
    synchronized void end(String id, StoredCall.Action action) {
        letters.computeIfPresent(id, (same, letter) -> letter.after(action));
        leaveOrder(id);
    }

    synchronized void clear() {
        rows.clear();
        uncommitted.clear();
        letters.clear();
        again.clear();
        places.clear();
        marks.clear();
        tasks.all.clear();
    }

    private synchronized void put(String id, @Nullable Row next) {
        put(rows, id, next);
    }

    private synchronized <T> void put(Map<String, T> map, String id, @Nullable T next) {
        T before = next == null ? map.remove(id) : map.put(id, next);
        if (TransactionSynchronizationManager.getResource(this) instanceof Undo undo) {
            undo.steps.push(() -> {
                if (before == null) {
                    map.remove(id);
                } else {
                    map.put(id, before);
                }
            });
        }
    }

    /** Returns all visible calls that are waiting or running. */
    synchronized List<Row> open(Comparator<Row> order) {
        return rows.values().stream()
                .filter(row -> !uncommitted.contains(row.id()))
                .sorted(order)
                .toList();
    }

    synchronized Optional<Row> row(String id) {
        return Optional.ofNullable(rows.get(id)).filter(row -> !uncommitted.contains(id));
    }

    synchronized List<DeadLetter> letters() {
        return letters.values().stream().sorted(NEWEST_FIRST).toList();
    }

    /** The writes that an exception reverts. */
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
        return Sections.list(filter, cursor, limit, this::page);
    }

    private Page page(Filter section, @Nullable String cursor, int limit) {
        List<Summary> all = matching(section).toList();
        List<Summary> rest = cursor == null ? all : after(all, cursor);
        return rest.size() <= limit
                ? new Page(rest, null)
                : new Page(rest.subList(0, limit), place(rest.get(limit - 1)).toString());
    }

    /** The position of a call in its section, which is a cursor as text. */
    private record Position(Instant at, String id) {

        @Override
        public String toString() {
            return at + "_" + id;
        }
    }

    private static Position place(Summary call) {
        return new Position(Objects.requireNonNull(call.diedAt() == null ? call.due() : call.diedAt()), call.id());
    }

    private static List<Summary> after(List<Summary> all, String cursor) {
        int end = cursor.indexOf('_');
        Position last = new Position(Instant.parse(cursor.substring(0, Math.max(0, end))), cursor.substring(end + 1));
        Comparator<Position> oldest = Comparator.comparing(Position::at).thenComparing(Position::id);
        return all.stream()
                .filter(call -> call.diedAt() == null
                        ? oldest.compare(place(call), last) > 0
                        : oldest.compare(place(call), last) < 0)
                .toList();
    }

    @Override
    public List<String> openIds(Filter filter, @Nullable String after, int limit) {
        return matching(filter)
                .map(Summary::id)
                .filter(id -> after == null || id.compareTo(after) > 0)
                .sorted()
                .limit(limit)
                .toList();
    }

    @Override
    public long count(Filter filter) {
        return Sections.of(filter).stream()
                .mapToLong(section -> matching(section).count())
                .sum();
    }

    @Override
    public List<Group> groups(Filter filter, int limit) {
        record Key(String name, @Nullable String errorType) {}
        return Sections.groups(
                filter,
                limit,
                section -> matching(section)
                        .collect(Collectors.groupingBy(call -> new Key(call.name(), call.errorType())))
                        .values()
                        .stream()
                        .map(InMemoryCallStore::group)
                        .toList());
    }

    private static Group group(List<Summary> calls) {
        Summary first = calls.get(0);
        boolean isOpen = first.diedAt() == null;
        Function<Summary, @Nullable Instant> time = isOpen ? Summary::startedAt : Summary::diedAt;
        List<Instant> times =
                calls.stream().map(time).filter(Objects::nonNull).sorted().toList();
        return new Group(
                first.name(),
                first.errorType(),
                first.state() == State.RUNNING ? State.WAITING : first.state(),
                calls.size(),
                times.get(0),
                isOpen ? null : times.get(times.size() - 1),
                first.due());
    }

    @Override
    public List<Total> totals() {
        List<Total> totals = new ArrayList<>();
        letters().stream()
                .collect(Collectors.groupingBy(DeadLetter::state))
                .forEach((state, some) -> totals.add(
                        new Total(state, some.size(), some.get(some.size() - 1).diedAt())));
        return totals;
    }

    @Override
    public synchronized Optional<Found> find(String id) {
        DeadLetter letter = letters.get(id);
        return row(id).map(row -> new Found(summary(row), row.revision(), letter))
                .or(() -> Optional.ofNullable(letter).map(dead -> new Found(summary(dead), 0, dead)));
    }

    @Override
    public byte @Nullable [] content(String id, long version, long longest) {
        return row(id).filter(row -> row.revision() == version && row.call().length <= longest)
                .map(row -> row.call().clone())
                .orElse(null);
    }

    @Override
    public synchronized List<Start> starts(List<String> ids, int longest) {
        return ids.stream()
                .flatMap(id -> find(id).stream())
                .map(found -> start(found, longest))
                .toList();
    }

    private Start start(Found found, int longest) {
        String id = found.summary().id();
        DeadLetter letter = found.letter();
        String content = row(id).map(row -> new String(row.call(), StandardCharsets.UTF_8))
                .orElse(null);
        return new Start(
                id,
                start(content, longest),
                letter == null ? null : letter.method(),
                letter == null ? null : start(letter.arguments(), longest));
    }

    private static @Nullable String start(@Nullable String text, int longest) {
        return text == null ? null : text.substring(0, Math.min(text.length(), longest));
    }

    @Override
    public synchronized @Nullable String hasten(String id, Instant due, @Nullable String task) {
        Row row = row(id).orElse(null);
        if (row == null || row.running() || isBlocked(id)) {
            return null;
        }
        if (row.due().isAfter(due)) {
            mark(id, task, row.due());
            put(id, row.waiting(row.call(), row.label(), due, row.revived()));
        }
        return row.label().lane();
    }

    @Override
    public synchronized boolean die(Found found, DeadLetter letter) {
        Found now = find(letter.id()).orElse(null);
        if (now == null || now.state() == State.RUNNING || !now.equals(found)) {
            return false;
        }
        put(letter);
        return true;
    }

    @Override
    public synchronized void put(DeadLetter letter) {
        put(letter.id(), null);
        DeadLetter before = letters.get(letter.id());
        put(letters, letter.id(), before == null ? letter : before.died(letter));
    }

    @Override
    public synchronized boolean resend(
            StoredCall.Action action,
            String id,
            byte[] call,
            CallEngine.Label label,
            Instant due,
            @Nullable String task) {
        if (isMarked(id, task) || !move(id, action)) {
            return false;
        }
        mark(id, task, due);
        return add(null, id, call, label, due);
    }

    /** The mark of a task on a call, with the due time before; {@code null} if the call has been leased since. */
    private record Mark(String task, @Nullable Instant due) {}

    private boolean isMarked(String id, @Nullable String task) {
        Mark mark = marks.get(id);
        return mark != null && mark.task().equals(task);
    }

    private void mark(String id, @Nullable String task, Instant due) {
        put(marks, id, task == null ? null : new Mark(task, due));
    }

    @Override
    public synchronized List<String> unsent(String task, @Nullable String after, int limit) {
        return open(Comparator.comparing(Row::id)).stream()
                .map(Row::id)
                .filter(id -> isUnsent(id, task) && (after == null || id.compareTo(after) > 0))
                .limit(limit)
                .toList();
    }

    private boolean isUnsent(String id, String task) {
        Mark mark = marks.get(id);
        return mark != null && mark.task().equals(task) && mark.due() != null;
    }

    @Override
    public synchronized boolean restore(String id, BulkTask task, StoredCall.Action cancelled) {
        Row row = rows.get(id);
        Mark mark = marks.get(id);
        if (row == null || mark == null || mark.due() == null || !mark.task().equals(task.id())) {
            return false;
        }
        boolean isResent = task.action() == Task.Action.RESEND;
        put(id, isResent ? null : row.waiting(row.call(), row.label(), mark.due(), row.revived()));
        put(marks, id, null);
        if (isResent) {
            put(letters, id, Objects.requireNonNull(letters.get(id)).after(cancelled));
        }
        return true;
    }

    @Override
    public synchronized boolean hasResent(String task) {
        return letters.values().stream()
                .anyMatch(letter -> letter.state() == State.WAITING && isMarked(letter.id(), task));
    }

    @Override
    public BulkTaskStore tasks() {
        return tasks;
    }

    /** All tasks, in the order in which they were started. */
    private final class Tasks implements BulkTaskStore {

        private final Map<String, Entry> all = new LinkedHashMap<>();

        @Override
        public synchronized boolean add(BulkTask task, String node) {
            boolean isFirst =
                    all.values().stream().noneMatch(entry -> entry.progress().runs());
            if (isFirst) {
                all.put(task.id(), new Entry(task, BulkTask.Progress.NONE, node, false, 1, clock.instant()));
            }
            return isFirst;
        }

        @Override
        public synchronized Optional<Entry> latest() {
            return all.values().stream().reduce((earlier, later) -> later).map(this::now);
        }

        @Override
        public synchronized Optional<Entry> find(String id) {
            return Optional.ofNullable(all.get(id)).map(this::now);
        }

        private Entry now(Entry entry) {
            return new Entry(entry.task(), entry.progress(), entry.node(), false, entry.version(), clock.instant());
        }

        @Override
        public synchronized boolean update(Entry expected, BulkTask.Progress next, String node) {
            Entry entry = all.get(expected.task().id());
            boolean isUnchanged = entry != null
                    && entry.version() == expected.version()
                    && entry.progress().runs();
            if (isUnchanged) {
                all.put(expected.task().id(), expected.updated(next));
            }
            return isUnchanged;
        }
    }

    @Override
    public synchronized boolean discard(String id, StoredCall.Action action) {
        boolean done = move(id, action);
        if (done) {
            leaveOrder(id);
        }
        return done;
    }

    private boolean move(String id, StoredCall.Action action) {
        DeadLetter letter = letters.get(id);
        if (letter == null || letter.state() != State.DEAD) {
            return false;
        }
        put(letters, id, letter.after(action));
        return true;
    }

    @Override
    public synchronized int delete(@Nullable Instant diedBefore, long maxCount) {
        List<DeadLetter> old = letters().stream()
                .filter(letter -> diedBefore != null && letter.diedAt().isBefore(diedBefore))
                .toList();
        List<DeadLetter> surplus = letters().stream().skip(maxCount).toList();
        int before = letters.size();
        Stream.concat(old.stream(), surplus.stream())
                .filter(letter -> letter.state() != State.WAITING)
                .forEach(letter -> {
                    letters.remove(letter.id());
                    leaveOrder(letter.id());
                });
        return before - letters.size();
    }

    private static Summary summary(DeadLetter letter) {
        return new Summary(
                letter.id(),
                letter.name(),
                letter.state(),
                letter.reason(),
                letter.errorType(),
                letter.errorMessage(),
                letter.lane(),
                letter.attempts(),
                letter.firstFailedAt(),
                null,
                letter.diedAt());
    }

    private Stream<Summary> matching(Filter section) {
        if (Sections.isOpen(section)) {
            return open(IN_LISTS).stream()
                    .map(this::summary)
                    .filter(call -> matches(section, call, call.startedAt(), List.of()));
        }
        return letters().stream()
                .filter(letter -> matches(
                        section,
                        summary(letter),
                        letter.diedAt(),
                        Stream.of(letter.method(), letter.errorMessage())
                                .filter(Objects::nonNull)
                                .toList()))
                .map(InMemoryCallStore::summary);
    }

    private static boolean matches(Filter section, Summary call, @Nullable Instant at, List<String> texts) {
        return section.states().contains(call.state())
                && (section.name() == null || section.name().equals(call.name()))
                && (section.errorType() == null || section.errorType().equals(call.errorType()))
                && (section.lane() == null || section.lane().equals(call.lane()))
                && (section.from() == null || (at != null && !at.isBefore(section.from())))
                && (section.before() == null || (at != null && at.isBefore(section.before())))
                && (section.text() == null
                        || Stream.concat(
                                        Stream.of(call.id(), call.name(), String.valueOf(call.errorType())),
                                        texts.stream())
                                .anyMatch(text -> text.toLowerCase(Locale.ROOT)
                                        .contains(section.text().toLowerCase(Locale.ROOT))));
    }
}

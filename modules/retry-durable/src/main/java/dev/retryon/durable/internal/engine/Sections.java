// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Group;
import dev.retryon.durable.StoredCalls.Page;
import dev.retryon.durable.StoredCalls.Summary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The sections of a list, each with its own order: dead calls; waiting and running calls; blocked calls; resolved calls;
 * discarded calls. A store lists one section, and this class continues with the next one. A cursor consists of the first
 * state of a section, a dot, and the cursor within the section, which is empty for the section's first page.
 */
public final class Sections {

    private static final List<Set<State>> ORDER = List.of(
            EnumSet.of(State.DEAD),
            EnumSet.of(State.WAITING, State.RUNNING),
            EnumSet.of(State.BLOCKED),
            EnumSet.of(State.RESOLVED),
            EnumSet.of(State.DISCARDED));

    private Sections() {}

    @FunctionalInterface
    public interface Lister {

        /**
         * Lists calls of one section.
         *
         * @throws IllegalArgumentException if the cursor is not valid, with any message
         */
        Page list(Filter section, @Nullable String cursor, int limit);
    }

    /** Splits a filter: each result selects calls of one section, in the order of a list. */
    public static List<Filter> of(Filter filter) {
        List<Filter> sections = new ArrayList<>();
        for (Set<State> states : ORDER) {
            EnumSet<State> some = EnumSet.copyOf(states);
            if (!filter.states().isEmpty()) {
                some.retainAll(filter.states());
            }
            if (!some.isEmpty()) {
                sections.add(new Filter(
                        some,
                        filter.name(),
                        filter.errorType(),
                        filter.lane(),
                        filter.text(),
                        filter.from(),
                        filter.before()));
            }
        }
        return sections;
    }

    /** Returns whether a call in this state has not ended. */
    public static boolean isOpen(State state) {
        return state == State.WAITING || state == State.RUNNING || state == State.BLOCKED;
    }

    public static boolean isOpen(Filter section) {
        return section.states().stream().allMatch(Sections::isOpen);
    }

    public static Page list(Filter filter, @Nullable String cursor, int limit, Lister lister) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is '" + limit + "', but must be at least 1");
        }
        List<Summary> calls = new ArrayList<>();
        boolean reached = cursor == null;
        for (Filter section : of(filter)) {
            String prefix = prefix(section);
            String within = null;
            if (!reached && cursor != null && cursor.startsWith(prefix)) {
                reached = true;
                within = cursor.length() == prefix.length() ? null : cursor.substring(prefix.length());
            }
            if (!reached) {
                continue;
            }
            int missing = limit - calls.size();
            // If the page is full, only the existence of calls in the next section is checked.
            Page page = within == null
                    ? lister.list(section, null, Math.max(1, missing))
                    : after(cursor, within, section, missing, lister);
            if (missing == 0 && !page.calls().isEmpty()) {
                return new Page(calls, prefix);
            }
            calls.addAll(page.calls());
            if (page.next() != null) {
                return new Page(calls, prefix + page.next());
            }
        }
        if (!reached) {
            throw wrongCursor(cursor, null);
        }
        return new Page(calls, null);
    }

    private static Page after(@Nullable String cursor, String within, Filter section, int limit, Lister lister) {
        try {
            return lister.list(section, within, limit);
        } catch (IllegalArgumentException ex) {
            throw wrongCursor(cursor, ex);
        }
    }

    private static String prefix(Filter section) {
        State first = section.states().iterator().next();
        return (first == State.RUNNING ? State.WAITING : first) + ".";
    }

    private static IllegalArgumentException wrongCursor(@Nullable String cursor, @Nullable RuntimeException cause) {
        return new IllegalArgumentException(
                "cursor is '" + cursor + "', which is not a valid cursor; use the 'next' value of a previous page",
                cause);
    }

    public static List<Group> groups(Filter filter, int limit, Function<Filter, List<Group>> grouping) {
        return of(filter).stream()
                .flatMap(section -> grouping.apply(section).stream())
                .sorted(Comparator.comparingLong(Group::count).reversed())
                .limit(limit)
                .toList();
    }
}

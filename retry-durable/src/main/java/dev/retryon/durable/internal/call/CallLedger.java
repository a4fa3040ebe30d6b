/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import dev.retryon.durable.CallEngine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows the calls that an engine keeps, of all processes that share the store, and changes when they are due. What it writes is
 * part of the transaction of the thread. Rows that were edited are shown as far as they can be read. Thread-safe.
 */
public interface CallLedger {

    /**
     * Lists calls, those that are due next first.
     *
     * @param filter which
     * @param cursor the cursor that the previous page returned; {@code null} for the first page
     * @param limit how many at most, 1 or more
     * @return a page
     * @throws IllegalArgumentException if the cursor is none
     */
    Page list(Filter filter, @Nullable String cursor, int limit);

    /**
     * Lists calls in the order of their ids, which no change of a call affects.
     *
     * @param filter which
     * @param after the last id of the previous page; {@code null} for the first page
     * @param limit how many at most, 1 or more
     * @return the calls; none at the end
     */
    List<Entry> listById(Filter filter, @Nullable String after, int limit);

    /**
     * Counts calls.
     *
     * @param filter which
     * @return how many there are
     */
    long count(Filter filter);

    /**
     * Counts calls by name and error.
     *
     * @param filter which
     * @param limit how many groups at most
     * @return the largest first
     */
    List<Group> groups(Filter filter, int limit);

    /**
     * Finds a call.
     *
     * @param id the id of the call
     * @return the call, if it is kept
     */
    Optional<Entry> find(String id);

    /**
     * Reads what {@link CallEngine#add} was given.
     *
     * @param entry the call as it was found
     * @param longest how long it may be, in bytes
     * @return the call; {@code null} if it is longer, or was changed since it was found
     */
    byte @Nullable [] read(Entry entry, long longest);

    /**
     * Makes a call due, unless a worker has it.
     *
     * @param id the id of the call
     * @param due when, at the latest
     * @return whether it is kept, and no worker has it
     */
    boolean hasten(String id, Instant due);

    /**
     * Removes a call, unless a worker has it or it was changed since it was found.
     *
     * @param entry the call as it was found
     * @return whether it was removed
     */
    boolean withdraw(Entry entry);

    /**
     * Which calls.
     *
     * @param name the name of what is called; {@code null} for any
     * @param errorType the class of the last error; {@code null} for any
     * @param lane the lane; {@code null} for any
     * @param text part of the id, the name or the class of the error, in any case; {@code null} for any
     * @param startedFrom when the call was made first, at the earliest; {@code null} for any time
     * @param startedBefore what that has to be before; {@code null} for any time
     */
    record Filter(
            @Nullable String name,
            @Nullable String errorType,
            @Nullable String lane,
            @Nullable String text,
            @Nullable Instant startedFrom,
            @Nullable Instant startedBefore) {

        /** The same with another end. */
        Filter before(Instant end) {
            return new Filter(name, errorType, lane, text, startedFrom, end);
        }
    }

    /**
     * A call that is kept.
     *
     * @param id its id
     * @param name the name of what is called; {@code null} if another program has written the row
     * @param errorType the class of the last error, or {@code null}
     * @param lane its lane
     * @param attempt how many attempts were made
     * @param startedAt when the call was made first, or stored in the place of that; {@code null} if it is not known
     * @param due when the next attempt is or was due
     * @param running whether a worker has it
     * @param revision changes with each write
     */
    record Entry(
            String id,
            @Nullable String name,
            @Nullable String errorType,
            String lane,
            int attempt,
            @Nullable Instant startedAt,
            Instant due,
            boolean running,
            long revision) {}

    /**
     * A page of calls.
     *
     * @param calls the calls
     * @param next the cursor of the next page; {@code null} on the last one
     */
    record Page(List<Entry> calls, @Nullable String next) {}

    /**
     * Calls of one name and one error.
     *
     * @param name the name of what is called; {@code null} if another program has written the rows
     * @param errorType the class of the last error, or {@code null}
     * @param count how many there are
     * @param oldest when the first of them was made first; {@code null} if it is not known
     * @param nextDue when the first of them is or was due
     */
    record Group(
            @Nullable String name,
            @Nullable String errorType,
            long count,
            @Nullable Instant oldest,
            Instant nextDue) {}
}

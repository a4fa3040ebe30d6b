// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Group;
import dev.retryon.durable.StoredCalls.Page;
import dev.retryon.durable.StoredCalls.Summary;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists and changes the calls of all processes that share the store, in all states. The calls are those of a {@link CallEngine},
 * which runs those that wait. Each method does everything or nothing. Thread-safe, and safe for several processes.
 */
public interface CallStore {

    /** The name of calls whose row has none. */
    String UNKNOWN = "unknown";

    /**
     * Lists calls in the order of {@link dev.retryon.durable.StoredCalls#list}. Implementations must read no arguments, stack
     * traces or failures, because a page of large calls would need too much memory.
     *
     * @param cursor the {@link Page#next} of the previous page; {@code null} for the first page
     * @throws IllegalArgumentException if the cursor is not valid, or the limit is below 1
     */
    Page list(Filter filter, @Nullable String cursor, int limit);

    /**
     * Lists the ids of waiting and running calls in their order, which no change of a call affects.
     *
     * @param after the last id of the previous page; {@code null} for the first page
     */
    List<String> openIds(Filter filter, @Nullable String after, int limit);

    long count(Filter filter);

    /** Counts calls by name, error and state, the most frequent first. */
    List<Group> groups(Filter filter, int limit);

    /** Counts the calls that have died, including those that were resent. */
    List<Total> totals();

    Optional<Found> find(String id);

    /** Finds a call that has died. */
    default Optional<DeadLetter> died(String id) {
        return find(id).map(Found::letter);
    }

    /** Reads the content of a waiting call; {@code null} if it has more bytes, or if the call was changed since it was found. */
    byte @Nullable [] content(String id, long version, long longest);

    /**
     * Reads the beginnings of what some calls have stored, for lists. Calls that are gone by now are left out.
     *
     * @param longest the number of bytes of a document, and of characters of arguments
     */
    List<Start> starts(List<String> ids, int longest);

    /**
     * The beginning of what a call has stored.
     *
     * @param content the document of a waiting or running call; else {@code null}
     * @param method the key of the method of a dead letter
     * @param arguments those of a dead letter
     */
    record Start(
            String id,
            @Nullable String content,
            @Nullable String method,
            @Nullable String arguments) {}

    /**
     * Brings the due time of a waiting call forward.
     *
     * @param task the id of the task that does so; {@code null} for none
     * @return the lane of the call; {@code null} if it does not wait
     */
    @Nullable String hasten(String id, Instant due, @Nullable String task);

    /**
     * Turns a call into a dead letter, with the failures and actions of both if it is one, or was one before it was resent.
     *
     * @return {@code false} if an attempt was running, or the call was changed since it was found
     */
    boolean die(Found found, DeadLetter letter);

    /**
     * Takes a dead letter out of the order of its key, if it has one, so that the next call with the key can run. Must be called in
     * the transaction in which the call dies.
     */
    void leaveOrder(String id);

    /** Returns the first call with the order key of a call, for which that one waits; {@code null} if it is in no order. */
    @Nullable String waitsFor(String id);

    Blocked blocked();

    /**
     * Stores a call that has failed permanently. If a dead letter with this id exists, because the call was resent, it
     * becomes {@link DeadLetter#died}.
     *
     * @throws RuntimeException if it could not be stored
     */
    void put(DeadLetter letter);

    /**
     * Makes a dead letter due again, which counts its attempts anew. Takes part in {@link CallEngine#transactions()}.
     *
     * @param action the action that resends it
     * @param call the call, whose content is opaque to the store
     * @param task the id of the task that resends it; {@code null} for none
     * @return {@code false} if no call of this id is dead, or if the task has resent it before
     */
    boolean resend(
            StoredCall.Action action,
            String id,
            byte[] call,
            CallEngine.Label label,
            Instant due,
            @Nullable String task);

    /**
     * Lists the ids of calls whose due time a task has set, and that no worker has leased since then, in their order.
     *
     * @param after the last id of the previous page; {@code null} for the first page
     */
    List<String> unsent(String task, @Nullable String after, int limit);

    /**
     * Gives a call of {@link #unsent} its former due time, or makes it dead again if it was.
     *
     * @param cancelled the action on a call that is dead again
     * @return {@code false} if a worker has leased it meanwhile
     */
    boolean restore(String id, BulkTask task, StoredCall.Action cancelled);

    /** Whether a call that a task has resent waits or runs. */
    boolean hasResent(String task);

    BulkTaskStore tasks();

    /** Discards a dead letter; {@code false} if no call of this id is dead. If several callers do that, one of them succeeds. */
    boolean discard(String id, StoredCall.Action action);

    /**
     * Deletes calls that died before a time, and the oldest ones beyond a maximum number. Calls that are being resent are
     * never deleted. If several processes delete at the same time, they do not delete more than one of them would.
     *
     * @param diedBefore deletes calls that died before this time; {@code null} for none
     * @param maxCount the number of calls to leave; {@link Long#MAX_VALUE} for all
     */
    int delete(@Nullable Instant diedBefore, long maxCount);

    /** {@return the clock by which calls are due and die, always the same; the system clock by default} */
    default InstantSource clock() {
        return InstantSource.system();
    }

    /** {@return a right that the user certainly lacks, and what to do about it; {@code null} if nothing is known to be missing} */
    default @Nullable String missingRight() {
        return null;
    }

    /**
     * Registers a write to be started after the transaction of the thread, if other threads can't write while it lasts;
     * otherwise, returns {@code false}.
     *
     * @param write starts the write on another thread, and does not wait for it
     */
    default boolean afterCaller(Runnable write) {
        return false;
    }

    /**
     * A call, without the content of its next attempt.
     *
     * @param version a number that changes with each write
     * @param letter the data of a call that has died, also while it is resent; {@code null} if it never has
     */
    record Found(Summary summary, long version, @Nullable DeadLetter letter) {

        public StoredCall.State state() {
            return summary.state();
        }
    }

    /**
     * The calls that wait for another one with their order key.
     *
     * @param keys the number of their keys
     * @param oldest when the first of them was stored, or should have run if it has an initial delay; {@code null} if there is none
     */
    record Blocked(long keys, long calls, @Nullable Instant oldest) {}

    /**
     * The number of calls with one state that have died.
     *
     * @param state the state; {@link StoredCall.State#WAITING} for those that were resent
     * @param oldest when the oldest one died
     */
    record Total(StoredCall.State state, long count, Instant oldest) {}
}

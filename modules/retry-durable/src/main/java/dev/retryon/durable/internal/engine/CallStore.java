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
 * Lists and changes the calls of all processes that share the store, in all states. The calls belong to a
 * {@link CallEngine}, which runs the waiting calls. Each method takes effect completely or not at all. Thread-safe, and safe
 * for several processes.
 */
public interface CallStore {

    /** The name of calls whose row contains no name. */
    String UNKNOWN = "unknown";

    /**
     * Lists calls in the order of {@link dev.retryon.durable.StoredCalls#list}. Implementations must read no arguments,
     * stack traces or failures, because a page of large calls would need too much memory.
     *
     * @param cursor the {@link Page#next} of the previous page; {@code null} for the first page
     * @throws IllegalArgumentException if the cursor is not valid, or the limit is below 1
     */
    Page list(Filter filter, @Nullable String cursor, int limit);

    /**
     * Lists the ids of waiting and running calls after an id, or from the beginning if {@code after} is {@code null}.
     * Changes of calls do not affect the order of the ids.
     */
    List<String> openIds(Filter filter, @Nullable String after, int limit);

    long count(Filter filter);

    /** Counts calls by name, error and state, the most frequent first. */
    List<Group> groups(Filter filter, int limit);

    /** Counts the calls that have died, including those that were resent. */
    List<Total> totals();

    Optional<Found> find(String id);

    default Optional<DeadLetter> died(String id) {
        return find(id).map(Found::letter);
    }

    /** Reads a waiting call's content; {@code null} if the content has more bytes, or the call was changed since it was found. */
    byte @Nullable [] content(String id, long version, long longest);

    /**
     * Reads the beginnings of the given calls' stored data, for lists. Calls that no longer exist are omitted.
     *
     * @param longest the number of bytes of a document, and of characters of arguments
     */
    List<Start> starts(List<String> ids, int longest);

    /** The beginning of a call's stored data: the content of a waiting or running call, or the other parts of a dead letter. */
    record Start(
            String id,
            @Nullable String content,
            @Nullable String method,
            @Nullable String arguments) {}

    /** Brings a waiting call forward, perhaps for a task. Returns its lane, or {@code null} if the call is not waiting. */
    @Nullable String hasten(String id, Instant due, @Nullable String task);

    /**
     * Turns a call into a dead letter, with the failures and actions of both if it is or was one. Returns {@code false}
     * if an attempt was running, or the call was changed since it was found.
     */
    boolean die(Found found, DeadLetter letter);

    /** Lets the next call with a dead letter's order key run. Must be called in the transaction in which the call dies. */
    void leaveOrder(String id);

    /** Returns the first call with a call's order key, for which the call waits, or {@code null} if the call is in no order. */
    @Nullable String waitsFor(String id);

    Blocked blocked();

    /** Stores a dead letter. If one with this id exists, because the call was resent, it becomes {@link DeadLetter#died}. */
    void put(DeadLetter letter);

    /**
     * Makes a dead letter due again, with a new count of attempts. Takes part in {@link CallEngine#transactions()}.
     *
     * @return {@code false} if no call with this id is dead, or if the task has resent it before
     */
    boolean resend(
            StoredCall.Action action,
            String id,
            byte[] call,
            CallEngine.Label label,
            Instant due,
            @Nullable String task);

    /**
     * Lists the ids of calls whose due time a task has set, and that no worker has leased since, in the order of the ids.
     * If {@code after} is {@code null}, the list starts at the first id.
     */
    List<String> unsent(String task, @Nullable String after, int limit);

    /**
     * Restores the former due time of a call from {@link #unsent}, or makes the call dead again, with the given action,
     * if it was dead before. Returns {@code false} if a worker has leased the call meanwhile.
     */
    boolean restore(String id, BulkTask task, StoredCall.Action cancelled);

    /** Returns whether a call that a task has resent is waiting or running. */
    boolean hasResent(String task);

    BulkTaskStore tasks();

    /** Discards a dead letter. Returns {@code false} if no call with this id is dead. Only one of several callers succeeds. */
    boolean discard(String id, StoredCall.Action action);

    /**
     * Deletes calls that died before a time, and the oldest ones beyond a maximum number. Calls that are being resent are
     * never deleted. If several processes delete at the same time, they do not delete more than one of them would.
     *
     * @param diedBefore calls that died before this time are deleted; {@code null} if the age of calls does not matter
     * @param maxCount the number of calls to leave; {@link Long#MAX_VALUE} for all
     */
    int delete(@Nullable Instant diedBefore, long maxCount);

    /** {@return the clock by which calls are due and die, which is always the same; the system clock by default} */
    default InstantSource clock() {
        return InstantSource.system();
    }

    /** {@return a right that the user certainly lacks, and what to do about it, or {@code null} if none is known} */
    default @Nullable String missingRight() {
        return null;
    }

    /**
     * Registers an action that starts a write on another thread after the thread's transaction, if other threads cannot
     * write during that transaction. Otherwise, returns {@code false}.
     */
    default boolean afterCaller(Runnable write) {
        return false;
    }

    /** A call without its content. The version changes with each write. The letter is {@code null} if the call never died. */
    record Found(Summary summary, long version, @Nullable DeadLetter letter) {

        public StoredCall.State state() {
            return summary.state();
        }
    }

    /**
     * The calls that wait for another call with their order key.
     *
     * @param oldest when the first of them was stored, or should have run if it has an initial delay; {@code null} for
     *     no calls
     */
    record Blocked(long keys, long calls, @Nullable Instant oldest) {}

    /** The number of dead calls in one state, and when the oldest died. Resent calls are {@link StoredCall.State#WAITING}. */
    record Total(StoredCall.State state, long count, Instant oldest) {}
}

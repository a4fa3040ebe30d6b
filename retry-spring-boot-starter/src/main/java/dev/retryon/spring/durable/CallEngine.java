/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps calls until they are due, and then gives each of them to one worker of all processes that share the store. The
 * starter's is db-scheduler; a bean of this type replaces it. What it writes is part of the transaction of the thread, in the
 * store that {@code retryon.durable.store} chooses. Thread-safe.
 *
 * @since 0.1.0
 */
public interface CallEngine {

    /**
     * Keeps a call, by one statement in the transaction of the thread if it has one.
     *
     * @param id the id of the call
     * @param call the call; the engine does not look into it
     * @param label what lists show of the call
     * @param due when it is due
     * @throws RuntimeException if it could not be kept, or if there is a call of this id already
     */
    void add(String id, byte[] call, Label label, Instant due);

    /**
     * Says that a call was kept and the transaction is committed, so that it is not found only when the engine next looks.
     *
     * @param due when the call is due
     */
    void wake(Instant due);

    /**
     * Begins to give calls to workers.
     *
     * @param worker is given calls that are due, on threads of the engine; it never throws
     */
    void start(Consumer<CallLease> worker);

    /** Gives no more calls to workers, and waits for those that run; those that run for too long are interrupted. */
    void stop();

    /**
     * What waits, in all processes.
     *
     * @return the calls that no worker has
     * @throws RuntimeException if the store can't be read
     */
    Backlog backlog();

    /**
     * Stops giving calls of a name to the worker of this process for a while, because other processes run them.
     *
     * @param name the name of what is called, as in {@link Label}
     * @param time how long
     * @return {@code false} if this engine can't do that, which is the default
     */
    default boolean skip(String name, Duration time) {
        return false;
    }

    /**
     * Why this process can't run calls at the moment, for health.
     *
     * @return a sentence; {@code null} if it can, which is the default
     */
    default @Nullable String problem() {
        return null;
    }

    /**
     * What shows the calls that are kept, and changes when they are due.
     *
     * @return the ledger; {@code null} if this engine has none, which is the default
     */
    default @Nullable CallLedger ledger() {
        return null;
    }

    /**
     * What lists show of a call.
     *
     * @param name the name of what is called, as in events
     * @param errorType the class of the last error; {@code null} if no attempt has failed, or if it returned a value that was to
     *     be retried
     * @param attempt how many attempts were made
     * @param startedAt when the call was made first, or stored in the place of that
     */
    record Label(String name, @Nullable String errorType, int attempt, Instant startedAt) {}

    /**
     * The calls that no worker has.
     *
     * @param waiting how many there are
     * @param nextDue when the first of them is or was due; {@code null} if there is none
     */
    record Backlog(long waiting, @Nullable Instant nextDue) {}
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.context.Surroundings;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.spi.DeadLetterQueue;
import dev.retryon.spring.internal.check.MethodsCheck;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/** Stores, lists and resends calls that have failed for good. The store is looked up on demand. */
public final class DeadLetterOffice implements AutoCloseable {

    private final Replays replays;

    private final BulkTasks tasks;

    private final LetterStore store;

    private final LetterQueue queue;

    private final DeadLetters letters;

    /**
     * The collaborators of the office.
     *
     * @param store gives the store
     * @param methods knows the retried methods and their beans
     * @param arguments encodes and decodes arguments
     * @param surroundings the trace that calls are part of
     * @param faults counts calls that could not be kept
     * @param events publishes what was done
     * @param stored gives what stores calls of durable methods; {@code null} if nothing does
     */
    public record Parts(
            Supplier<DeadLetterStore> store,
            StoredMethods methods,
            StoredArguments arguments,
            Surroundings surroundings,
            ExtensionErrors faults,
            ApplicationEventPublisher events,
            Supplier<@Nullable StoredReplays> stored) {}

    /**
     * Opens an office.
     *
     * @param parts what it works with
     * @param timeout how long a caller waits at most until its call is kept
     * @param closing whether the application is shutting down
     * @param clock the time of day
     */
    public DeadLetterOffice(Parts parts, Duration timeout, BooleanSupplier closing, Clock clock) {
        this(parts, timeout, ReplayThreads.create(), closing, clock, new ReplayTimer());
    }

    DeadLetterOffice(
            Parts parts,
            Duration timeout,
            ReplayThreads threads,
            BooleanSupplier closing,
            Clock clock,
            ReplayTimer timer) {
        // Databases keep no more than milliseconds of a time.
        Clock millis = Clock.tick(clock, Duration.ofMillis(1));
        LetterActions actions = new LetterActions(parts.store(), parts.events(), parts.faults(), millis);
        this.replays = new Replays(
                actions,
                new ReplayTargets(parts.methods(), parts.arguments()),
                parts.stored(),
                parts.surroundings(),
                threads,
                closing,
                timer);
        this.store = new LetterStore(parts.store(), timeout, parts.faults());
        this.queue = new LetterQueue(store, parts, replays, millis);
        this.tasks = new BulkTasks("retryon-dead-letters-task");
        this.letters = new StoredDeadLetters(parts.store(), parts.methods(), actions, replays, tasks, null);
    }

    /**
     * The check of the methods whose calls are to be kept. Opens no store unless there are such methods.
     *
     * @param store gives the store
     * @param arguments gives what knows which arguments can be stored
     * @return the check
     */
    public static MethodsCheck check(Supplier<DeadLetterStore> store, Supplier<StoredArguments> arguments) {
        return new DeadLetterCheck(store, arguments);
    }

    /**
     * Deletes dead letters that are too old or too many, while the application runs.
     *
     * @param maxAge how long ago they may have died; {@code null} for any time
     * @param maxCount how many are left; {@code null} for all
     * @param store gives the store; it is not asked for if nothing is to be deleted
     * @param faults counts failures of the store
     * @return what starts and stops with the application
     */
    public static SmartLifecycle retention(
            @Nullable Duration maxAge,
            @Nullable Long maxCount,
            Supplier<DeadLetterStore> store,
            ExtensionErrors faults) {
        return new LetterRetention(maxAge, maxCount, store, faults, Clock.systemUTC());
    }

    /** The queue that stores calls that have failed for good. */
    public DeadLetterQueue queue() {
        return queue;
    }

    /** The dead letters: a view of them in which no person is named. */
    public DeadLetters letters() {
        return letters;
    }

    /** Ends what runs in the background, and waits a moment for calls that end with the engine. */
    @Override
    public void close() {
        tasks.close();
        replays.close();
        store.close();
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import dev.retryon.CallSubject;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spi.FailedCall;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.LogTrace;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/** Stores, lists and resends calls that have failed for good. The store is looked up on demand. */
public final class DeadLetterOffice implements AutoCloseable {

    private final Replays replays;

    private final BulkTasks tasks;

    private final LetterStore store;

    private final Parts parts;

    private final Clock clock;

    private final DeadLetters letters;

    /**
     * The collaborators of the office, which stored calls have too.
     *
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
     * @param timeout how long a caller waits at most until its call is kept
     * @param closing whether the application is shutting down
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
        this.clock = Clock.tick(clock, Duration.ofMillis(1));
        this.parts = parts;
        LetterActions actions = new LetterActions(parts, this.clock);
        this.replays = new Replays(parts, actions, threads, closing, timer);
        this.store = new LetterStore(parts.store(), timeout, parts.faults());
        this.tasks = new BulkTasks("retryon-dead-letters-task");
        this.letters = new StoredDeadLetters(parts, actions, replays, tasks, null);
    }

    /**
     * Stores a call that has failed for good, with its arguments and the name of its bean. If that fails, the engine counts and
     * logs it, and suppresses the reason in the error that the caller gets.
     */
    public void add(FailedCall call) throws Exception {
        Replay replay = replays.find(call.state().callId());
        if (replay == null) {
            store.put(letter(call, false), null);
            return;
        }
        replay.failed(call.reason());
        if (!store.put(letter(call, true), replay.hold())) {
            replay.lost();
            throw new IllegalStateException(
                    "another process has taken the dead letter, because the lease of this process has expired; the"
                            + " failure of this call is not recorded");
        }
        replay.kept();
    }

    private DeadLetter letter(FailedCall call, boolean sentAgain) {
        CallSubject subject = call.subject();
        RetriedMethod method = parts.methods().find(subject.key());
        String bean = method == null ? null : parts.methods().beanName(method.beanClass(), subject.target());
        // A call without a method, such as that of a lambda, can't be sent again. One that was sent again keeps the
        // arguments that it had, because attempts may have changed theirs.
        String encoded = method == null || sentAgain
                ? null
                : parts.arguments().encode(method.beanClass(), method.method(), subject.arguments());
        return DeadLetter.of(
                call, bean, encoded, LogTrace.currentId(), parts.surroundings().traceParent(call), clock.instant());
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

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.CallSubject;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.FailedCall;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.durable.DeadLetterEvent;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.LogTrace;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/** Stores, lists and resends calls that have failed permanently. The store is looked up on demand. */
public final class DeadLetterOffice implements AutoCloseable {

    private final BulkTasks tasks = new BulkTasks();

    private final LetterStore store;

    private final Parts parts;

    private final Clock clock;

    private final DeadLetters letters;

    /**
     * The collaborators of the office, which stored calls have too.
     *
     * @param resending looks up the component that stores the calls of dead letters; {@code null} if there is none
     */
    public record Parts(
            Supplier<DeadLetterStore> store,
            StoredMethods methods,
            StoredArguments arguments,
            Surroundings surroundings,
            ExtensionErrors errors,
            ApplicationEventPublisher events,
            Supplier<@Nullable Resending> resending) {}

    /**
     * Opens an office.
     *
     * @param timeout the longest time that a caller waits until its call is stored
     * @param closing whether the application is shutting down
     */
    public DeadLetterOffice(Parts parts, Duration timeout, BooleanSupplier closing, Clock clock) {
        // The store keeps times in milliseconds.
        this.clock = Clock.tick(clock, Duration.ofMillis(1));
        this.parts = parts;
        this.store = new LetterStore(parts.store(), timeout, parts.errors());
        this.letters = new StoredDeadLetters(parts, tasks, this.clock, closing, null);
    }

    /**
     * Stores a call that has failed permanently, with its arguments and the name of its bean. If that fails, the engine counts and
     * logs it, and suppresses the reason in the error that the caller gets.
     */
    public void add(FailedCall call) throws Exception {
        CallSubject subject = call.subject();
        RetriedMethod method = parts.methods().find(subject.key());
        String bean = method == null ? null : parts.methods().beanName(method.beanClass(), subject.target());
        // A call without a method, such as that of a lambda, can't be resent.
        String encoded = method == null
                ? null
                : parts.arguments().encode(method.beanClass(), method.method(), subject.arguments());
        store.put(DeadLetter.of(
                call, bean, encoded, LogTrace.currentId(), parts.surroundings().traceParent(call), clock.instant()));
    }

    /** Publishes an event of a dead letter. The error of a listener is only reported. */
    public static void publish(DeadLetterEvent event, ApplicationEventPublisher events, ExtensionErrors errors) {
        try {
            events.publishEvent(event);
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.LISTENER,
                    event.name(),
                    "an @EventListener for dead-letter events threw an exception; processing continues",
                    ex);
        }
    }

    /** Returns a view that records no person as the author of actions. */
    public DeadLetters letters() {
        return letters;
    }

    /** Ends the background task, and waits a moment for dead letters that are being stored. */
    @Override
    public void close() {
        tasks.close();
        store.close();
    }
}

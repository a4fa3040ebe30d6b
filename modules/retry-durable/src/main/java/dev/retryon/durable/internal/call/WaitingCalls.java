// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.durable.internal.letter.BulkTasks;
import dev.retryon.durable.internal.letter.BulkWork;
import dev.retryon.durable.internal.store.RepeatedWrite;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Shows the waiting durable calls to operators, who can run them now or give them up. Thread-safe. */
public final class WaitingCalls implements AutoCloseable {

    private static final int PAGE = 100;

    private final DurableCalls calls;

    private final BulkTasks tasks = new BulkTasks();

    /** Opens no store before it is first read. */
    public WaitingCalls(DurableCalls calls) {
        this.calls = calls;
    }

    public CallLedger ledger() {
        return calls.engine().ledger();
    }

    /**
     * All that is known of a call.
     *
     * @param arguments the arguments as JSON, without what is {@linkplain dev.retryon.spring.Redacted redacted}; {@code null}
     *     if the call can't be read, because then it is not known what of it is redacted
     * @param problem why the call can't be read; {@code null} if it can
     * @param runningSince when the running attempt began; {@code null} if this process runs none
     * @param attemptTimeout the limit of an attempt; {@code null} if there is none, or if this process can't run the call
     */
    public record Detail(
            CallLedger.Entry entry,
            @Nullable String method,
            @Nullable String bean,
            @Nullable String arguments,
            List<DeadLetter.Failure> failures,
            @Nullable String traceId,
            @Nullable String problem,
            @Nullable Instant runningSince,
            @Nullable Duration attemptTimeout) {}

    public Optional<Detail> find(String id) {
        CallLedger ledger = ledger();
        Duration age = calls.age(id);
        return ledger.find(id).map(entry -> {
            Content content = read(ledger, entry);
            StoredCall call = content.call();
            if (content.problem() != null) {
                return new Detail(entry, null, null, null, List.of(), null, content.problem(), null, null);
            }
            RetriedMethod method = calls.methods().find(call.key());
            return new Detail(
                    entry,
                    call.key(),
                    call.bean(),
                    StoredArguments.redact(method == null ? null : method.method(), call.arguments()),
                    failures(call.state()),
                    Surroundings.traceId(call.context()),
                    null,
                    age == null ? null : calls.now().minus(age),
                    method == null ? null : calls.settings().attemptTimeout(method, call.override()));
        });
    }

    /** A stored call, and why it can't be read; {@code null} if it can. */
    private record Content(StoredCall call, @Nullable String problem) {}

    private Content read(CallLedger ledger, CallLedger.Entry entry) {
        byte[] data = ledger.read(entry, calls.format().longest());
        if (data == null) {
            return new Content(
                    StoredCall.unreadable(entry.id(), "", calls.now()), "it is empty, too long, or has just changed");
        }
        try {
            return new Content(calls.format().read(data), null);
        } catch (StoredCallFormat.NewerException | IllegalArgumentException ex) {
            return new Content(
                    StoredCall.unreadable(entry.id(), calls.format().raw(data), calls.now()),
                    String.valueOf(ex.getMessage()));
        }
    }

    private static List<DeadLetter.Failure> failures(CallState state) {
        List<DeadLetter.Failure> failures = new ArrayList<>();
        state.past().forEach(failed -> failures.add(failure(failed.number(), failed.error(), failed.failedAt())));
        if (state.attempt() > 0) {
            failures.add(failure(state.attempt(), state.error(), state.failedAt()));
        }
        return failures;
    }

    private static DeadLetter.Failure failure(int attempt, @Nullable ErrorText error, @Nullable Instant at) {
        return new DeadLetter.Failure(
                attempt, error == null ? null : error.type(), error == null ? null : error.message(), at);
    }

    /** Makes a call due now; returns {@code false} if it is not stored, or a worker has it. */
    public boolean retry(String id) {
        CallLedger ledger = ledger();
        Instant now = calls.now();
        CallLedger.Entry entry = ledger.find(id).orElse(null);
        if (entry == null || !calls.transactions().write(() -> ledger.hasten(id, now))) {
            return false;
        }
        calls.engine().wake(entry.lane(), now);
        return true;
    }

    /**
     * Makes calls due now in the background, one after the other.
     *
     * @param filter which; without a time before which they have to start, those that have started by now
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task runs in this process
     */
    public DeadLetters.Task retryAll(CallLedger.Filter filter, DeadLetters.Bulk bulk) {
        return start(DeadLetterStatus.RETRYING, filter, bulk, this::retry);
    }

    /** Turns calls into dead letters in the background, like {@link #retryAll}. */
    public DeadLetters.Task giveUpAll(
            CallLedger.Filter filter, @Nullable String by, @Nullable String reason, DeadLetters.Bulk bulk) {
        return start(DeadLetterStatus.DEAD, filter, bulk, id -> giveUp(id, by, reason));
    }

    /** In the order of their ids: calls that wait again for another attempt must not be changed a second time. */
    private DeadLetters.Task start(
            DeadLetterStatus action, CallLedger.Filter filter, DeadLetters.Bulk bulk, Predicate<String> step) {
        CallLedger ledger = ledger();
        Instant now = calls.now().truncatedTo(ChronoUnit.MILLIS);
        Instant asked = filter.startedBefore();
        Instant before = asked != null ? asked : now.plusMillis(1);
        CallLedger.Filter bounded = filter.before(before);
        return tasks.start(
                action,
                bulk,
                new BulkWork() {
                    @Override
                    public long count() {
                        return ledger.count(bounded);
                    }

                    @Override
                    public Slice next(@Nullable String cursor) {
                        List<String> ids = ledger.listById(bounded, cursor, PAGE).stream()
                                .map(CallLedger.Entry::id)
                                .toList();
                        return new Slice(ids, ids.size() < PAGE ? null : ids.get(PAGE - 1));
                    }

                    @Override
                    public boolean process(String id) {
                        return step.test(id);
                    }
                },
                now,
                before);
    }

    public List<Lane> lanes() {
        Map<String, CallEngine.Backlog> backlog = calls.engine().backlog();
        return LaneState.all(calls).entrySet().stream()
                .map(state -> new Lane(
                        state.getKey(),
                        waiting(backlog.get(state.getKey())),
                        state.getValue().label(),
                        calls.gate(state.getKey()).maxPerSecond()))
                .toList();
    }

    private static long waiting(CallEngine.@Nullable Backlog backlog) {
        return backlog == null ? 0 : backlog.waiting();
    }

    public record Lane(
            String lane,
            long waiting,
            String state,
            @Nullable Double maxPerSecond) {}

    public Optional<DeadLetters.Task> task() {
        return tasks.latest();
    }

    @Override
    public void close() {
        tasks.close();
    }

    /**
     * Turns a call into a dead letter. It has no further attempt unless the dead letter is resent.
     * Returns {@code false} if the call is not stored, or a worker has it.
     */
    public boolean giveUp(String id, @Nullable String by, @Nullable String reason) {
        CallLedger ledger = ledger();
        CallLedger.Entry entry = ledger.find(id).orElse(null);
        if (entry == null || entry.running()) {
            return false;
        }
        DeadLetter.Action action =
                new DeadLetter.Action(calls.now().truncatedTo(ChronoUnit.MILLIS), by, DeadLetterStatus.DEAD, reason);
        Content content = read(ledger, entry);
        DeadLetter found = letter(entry, content, action);
        DeadLetter letter = content.problem() != null ? calls.letterCalls().ofUnreadable(found) : found;
        boolean done = RepeatedWrite.writeLetter(calls.transactions(), letter, kept -> ledger.giveUp(entry, kept));
        if (done) {
            calls.letterCalls().publish(letter.id(), letter.name(), action);
        }
        return done;
    }

    private static DeadLetter letter(CallLedger.Entry entry, Content content, DeadLetter.Action action) {
        StoredCall call = content.call();
        ErrorText error = call.state().error();
        return new DeadLetter(
                entry.id(),
                call.name(),
                call.key(),
                call.bean(),
                call.arguments().isEmpty() ? null : call.arguments(),
                null,
                error == null ? null : error.type(),
                error == null ? content.problem() : error.message(),
                null,
                failures(call.state()),
                entry.attempt(),
                content.problem() == null ? StopReason.SWITCHED_OFF : StopReason.UNRESOLVABLE,
                entry.startedAt() == null ? action.at() : entry.startedAt(),
                action.at(),
                DeadLetterStatus.DEAD,
                Surroundings.traceId(call.context()),
                Surroundings.traceParent(call.context()),
                List.of(action));
    }
}

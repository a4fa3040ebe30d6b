// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.StopReason;
import dev.retryon.backoff.DurationText;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.UnresolvableCallException;
import dev.retryon.durable.internal.engine.BulkTask;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.Sections;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.invocation.Surroundings;
import dev.retryon.durable.internal.store.RepeatedWrite;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetrySettings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The stored calls, for one user. Opens no store before it is first used. */
public final class DefaultStoredCalls implements StoredCalls {

    private static final Duration LONGEST_DELAY = Duration.ofDays(365);

    private static final Set<State> OPEN = EnumSet.of(State.WAITING, State.RUNNING);

    private final Supplier<DurableCalls> durable;

    private final @Nullable String who;

    /** The part of a bulk task in which these calls are changed; {@code null} for none. */
    private final @Nullable Part part;

    /**
     * A part of a bulk task, changed in one transaction.
     *
     * @param refusal the error with which the database has rejected whole dead letters; or {@code null}
     */
    record Part(
            BulkTask task,
            List<Runnable> afterwards,
            @Nullable RuntimeException refusal) {}

    public DefaultStoredCalls(Supplier<DurableCalls> durable) {
        this(durable, null, null);
    }

    private DefaultStoredCalls(Supplier<DurableCalls> durable, @Nullable String who, @Nullable Part part) {
        this.durable = durable;
        this.who = who;
        this.part = part;
    }

    static DefaultStoredCalls of(DurableCalls calls, Part part) {
        return new DefaultStoredCalls(() -> calls, part.task().by(), part);
    }

    /** Changes a call as the task requires. Returns {@code false} if the call's state no longer allows the change. */
    boolean change(BulkTask task, String id, Duration delay) {
        return switch (task.action()) {
            case RUN_NOW -> hasten(id, delay);
            case GIVE_UP -> giveUp(id, task.reason());
            case RESEND ->
                store().find(id)
                        .filter(found -> found.state() == State.DEAD && resend(found, delay, null))
                        .isPresent();
            case DISCARD -> discard(id, task.reason());
        };
    }

    /** Reverts the change of a cancelled task. Returns {@code false} if a worker has leased the call. */
    boolean restore(BulkTask task, String id) {
        StoredCall.Action dead = calls().action(What.DIED, null, "the bulk task was cancelled before the call ran");
        boolean done = store().restore(id, task, dead);
        if (done && task.action() == Task.Action.RESEND) {
            afterwards(() -> store().died(id).ifPresent(letter -> calls().publish(id, letter.name(), dead)));
        }
        return done;
    }

    private void afterwards(Runnable work) {
        if (part == null) {
            work.run();
        } else {
            part.afterwards().add(work);
        }
    }

    private boolean die(CallStore.Found found, DeadLetter letter) {
        RuntimeException refusal = part == null ? null : part.refusal();
        return RepeatedWrite.writeLetter(
                calls().transactions(),
                refusal == null ? letter : RepeatedWrite.reduced(letter, refusal),
                kept -> store().die(found, kept) && calls().died(kept));
    }

    private DurableCalls calls() {
        return durable.get();
    }

    private CallStore store() {
        return calls().store();
    }

    @Override
    public Optional<StoredCall> find(String id) {
        return store().find(id).map(found -> {
            DeadLetter letter = found.letter();
            boolean isOpen = Sections.isOpen(found.state());
            return isOpen || letter == null ? open(found) : died(shown(letter));
        });
    }

    private DeadLetter shown(DeadLetter letter) {
        return letter.withArguments(redacted(letter.method(), letter.arguments()));
    }

    private @Nullable String redacted(String key, @Nullable String arguments) {
        return calls().arguments().redact(calls().methods().find(key), arguments);
    }

    /** Describes a call that has not died. If the call cannot be read, it is unknown which arguments are redacted. */
    private StoredCall open(CallStore.Found found) {
        Summary summary = found.summary();
        DeadLetter letter = found.letter();
        Content content = content(found);
        CallContent call = content.call();
        boolean isReadable = content.problem() == null;
        RetriedMethod method = calls().methods().find(call.key());
        Duration age = isReadable ? calls().age(summary.id()) : null;
        return new StoredCall(
                summary.id(),
                summary.name(),
                isReadable ? call.key() : null,
                call.bean(),
                summary.state(),
                null,
                isReadable ? redacted(call.key(), call.arguments()) : null,
                summary.errorType(),
                null,
                null,
                null,
                summary.lane(),
                summary.attempts(),
                DeadLetter.failures(call.state()),
                summary.startedAt(),
                summary.due(),
                age == null ? null : calls().now().minus(age),
                method == null ? null : calls().settings().attemptTimeout(method, call.override()),
                letter == null ? null : letter.firstFailedAt(),
                letter == null ? null : letter.diedAt(),
                Surroundings.traceId(call.context()),
                content.problem(),
                summary.state() == State.BLOCKED ? store().waitsFor(summary.id()) : null,
                letter == null ? List.of() : letter.actions());
    }

    public static StoredCall died(DeadLetter letter) {
        return new StoredCall(
                letter.id(),
                letter.name(),
                letter.method(),
                letter.bean(),
                letter.state(),
                letter.reason(),
                letter.arguments(),
                letter.errorType(),
                letter.errorCode(),
                letter.errorMessage(),
                letter.stackTrace(),
                letter.lane(),
                letter.attempts(),
                letter.failures(),
                null,
                null,
                null,
                null,
                letter.firstFailedAt(),
                letter.diedAt(),
                letter.traceId(),
                null,
                null,
                letter.actions());
    }

    /** The content of a call, and the reason why it cannot be read; {@code null} if it can. */
    private record Content(CallContent call, @Nullable String problem) {}

    private Content content(CallStore.Found found) {
        String id = found.summary().id();
        StoredCallFormat format = calls().format();
        byte[] data = store().content(id, found.version(), format.longest());
        if (data == null) {
            return new Content(
                    CallContent.unreadable(id, "", calls().now()),
                    "its content is empty or too long, or has just changed");
        }
        try {
            return new Content(format.read(data), null);
        } catch (StoredCallFormat.NewerException | IllegalArgumentException ex) {
            return new Content(
                    CallContent.unreadable(id, format.raw(data), calls().now()), String.valueOf(ex.getMessage()));
        }
    }

    @Override
    public Page list(Filter filter, @Nullable String cursor, int limit) {
        return store().list(filter, cursor, limit);
    }

    @Override
    public List<Group> groups(Filter filter, int limit) {
        return store().groups(filter, limit);
    }

    @Override
    public long count(Filter filter) {
        return store().count(filter);
    }

    @Override
    public boolean runNow(String id) {
        return hasten(id, Duration.ZERO);
    }

    private boolean hasten(String id, Duration delay) {
        Instant due = calls().now().plus(delay);
        String task = part == null ? null : part.task().id();
        String lane = calls().transactions().write(() -> store().hasten(id, due, task));
        if (lane != null) {
            afterwards(() -> calls().engine().wake(lane, due));
        }
        return lane != null;
    }

    @Override
    public boolean giveUp(String id, @Nullable String reason) {
        CallStore.Found found = store().find(id).orElse(null);
        if (found == null || found.state() != State.WAITING) {
            return false;
        }
        StoredCall.Action action = calls().action(What.DIED, who, reason);
        DeadLetter letter = givenUp(found, action);
        boolean done = die(found, letter);
        if (done) {
            String name = letter.isReadable() || found.letter() == null
                    ? letter.name()
                    : found.letter().name();
            afterwards(() -> calls().publish(id, name, action));
        }
        return done;
    }

    private DeadLetter givenUp(CallStore.Found found, StoredCall.Action action) {
        Content content = content(found);
        CallContent call = content.call();
        ErrorText error = call.state().error();
        Summary summary = found.summary();
        return new DeadLetter(
                summary.id(),
                call.name(),
                call.key(),
                call.bean(),
                call.arguments().isEmpty() ? null : call.arguments(),
                null,
                error == null ? null : error.type(),
                error == null ? content.problem() : error.message(),
                null,
                DeadLetter.failures(call.state()),
                summary.attempts(),
                content.problem() == null ? StopReason.SWITCHED_OFF : StopReason.UNRESOLVABLE,
                summary.startedAt() == null ? action.at() : summary.startedAt(),
                action.at(),
                State.DEAD,
                summary.lane(),
                Surroundings.traceId(call.context()),
                Surroundings.traceParent(call.context()),
                List.of(action));
    }

    @Override
    public boolean resend(String id, Duration delay) {
        if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException("delay is '" + DurationText.print(delay) + "', but must be between 0s"
                    + " and " + LONGEST_DELAY.toDays() + "d");
        }
        CallStore.Found found = store().find(id).orElse(null);
        if (found == null || found.state() != State.DEAD) {
            return false;
        }
        checkWorkers();
        return resend(found, delay, delay.isZero() ? null : "in " + DurationText.print(delay));
    }

    private void checkWorkers() {
        boolean isRun = calls().settings().lanes().runsCalls()
                || !(calls().transactions() instanceof RetryStore)
                || calls().announced().findAny().isPresent();
        if (!isRun) {
            throw new IllegalStateException("dead letters cannot be resent, because no running process of this"
                    + " application has threads for stored calls; set retryon.durable.threads to 1 or more in at least"
                    + " one of them");
        }
    }

    private boolean resend(CallStore.Found found, Duration delay, @Nullable String detail) {
        DeadLetter letter = Objects.requireNonNull(found.letter());
        RetriedMethod method = calls().methods().find(letter.method());
        String problem = problem(letter, method);
        if (problem != null) {
            unresolvable(found, letter, problem);
            return false;
        }
        Map<String, String> context = new HashMap<>(Surroundings.context(letter.traceParent()));
        context.put(CallContent.DEAD_LETTER, "true");
        CallContent call = new CallContent(
                method == null ? letter.method() : method.key().toString(),
                method == null ? letter.name() : method.name(),
                letter.bean(),
                String.valueOf(letter.arguments()),
                CallState.first(letter.id(), calls().now().plus(delay)),
                delay,
                RetrySettings.NONE,
                context);
        StoredCall.Action action = calls().action(What.RESENT, who, detail);
        String task = part == null ? null : part.task().id();
        boolean done = calls().resend(call, method == null ? letter.lane() : calls().lane(call), delay, action, task);
        if (done) {
            afterwards(() -> {
                calls().publish(letter.id(), call.name(), action);
                calls().startWorker();
            });
        }
        return done;
    }

    /** Returns the reason why no process can run a dead letter's call, or {@code null} if a process might be able to. */
    private @Nullable String problem(DeadLetter letter, @Nullable RetriedMethod method) {
        if (method == null && !othersKnow(letter)) {
            return "no bean of a running process has a retried method " + letter.method()
                    + "; if it was renamed, configure its old name in retryon.dead-letter.aliases";
        }
        if (letter.arguments() == null) {
            return "its arguments were not stored";
        }
        if (method == null) {
            return null;
        }
        try {
            var unused = calls().arguments().decode(method.beanClass(), method.method(), letter.arguments());
            return null;
        } catch (IllegalArgumentException ex) {
            return String.valueOf(ex.getMessage());
        }
    }

    private boolean othersKnow(DeadLetter letter) {
        Set<String> needed = StoredMethods.callable(letter.method(), letter.bean());
        return calls().announced().anyMatch(needed::contains);
    }

    /** Records that a call cannot run, and the person who wanted to resend it. Its arguments do not change. */
    private void unresolvable(CallStore.Found found, DeadLetter letter, String why) {
        StoredCall.Action taken = calls().action(What.RESENT, who, null);
        StoredCall.Action dead = calls().action(What.DIED, null, why);
        DeadLetter again = new DeadLetter(
                letter.id(),
                letter.name(),
                letter.method(),
                letter.bean(),
                null,
                null,
                UnresolvableCallException.class.getName(),
                why,
                null,
                List.of(),
                0,
                StopReason.UNRESOLVABLE,
                letter.firstFailedAt(),
                dead.at(),
                State.DEAD,
                letter.lane(),
                letter.traceId(),
                letter.traceParent(),
                List.of(taken, dead));
        if (die(found, again)) {
            afterwards(() -> calls().publish(letter.id(), letter.name(), dead));
        }
    }

    @Override
    public boolean discard(String id, @Nullable String reason) {
        StoredCall.Action action = calls().action(What.DISCARDED, who, reason);
        DeadLetter letter = store().died(id).orElse(null);
        if (letter == null || !store().discard(id, action)) {
            return false;
        }
        afterwards(() -> calls().publish(id, letter.name(), action));
        return true;
    }

    @Override
    public Task runAllNow(Filter filter, Bulk bulk) {
        return start(Task.Action.RUN_NOW, filter, null, bulk);
    }

    @Override
    public Task giveUpAll(Filter filter, @Nullable String reason, Bulk bulk) {
        return start(Task.Action.GIVE_UP, filter, reason, bulk);
    }

    @Override
    public Task resendAll(Filter filter, Bulk bulk) {
        checkWorkers();
        return start(Task.Action.RESEND, filter, null, bulk);
    }

    @Override
    public Task discardAll(Filter filter, @Nullable String reason, Bulk bulk) {
        return start(Task.Action.DISCARD, filter, reason, bulk);
    }

    /** Includes only calls that have started or died by now, because a call that waits or dies again must not be changed twice. */
    private Task start(Task.Action action, Filter filter, @Nullable String reason, Bulk bulk) {
        if (!bulk.dryRun() && !bulk.confirm()) {
            throw new IllegalArgumentException("confirm is 'false', but must be true unless dryRun is true");
        }
        boolean isOpen = action == Task.Action.RUN_NOW || action == Task.Action.GIVE_UP;
        Set<State> states = states(filter, isOpen ? OPEN : Set.of(State.DEAD));
        Instant now = calls().now().truncatedTo(ChronoUnit.MILLIS);
        // The list can also contain calls that died or started in this millisecond.
        Instant end = now.plusMillis(1);
        Instant asked = filter.before();
        Instant before = asked != null && (isOpen || asked.isBefore(end)) ? asked : end;
        Filter bounded = new Filter(
                states, filter.name(), filter.errorType(), filter.lane(), filter.text(), filter.from(), before);
        BulkTask task = new BulkTask(
                UUID.randomUUID().toString(),
                action,
                bounded,
                bulk.maxPerSecond(),
                who,
                reason,
                now,
                store().count(bounded));
        return calls().tasks().start(task, bulk.dryRun());
    }

    /** Requires that a filter can select calls in a state to which the action applies. */
    private static Set<State> states(Filter filter, Set<State> allowed) {
        Set<State> states = EnumSet.copyOf(allowed);
        if (!filter.states().isEmpty()) {
            states.retainAll(filter.states());
        }
        if (states.isEmpty()) {
            throw new IllegalArgumentException("the states of the filter must include "
                    + allowed.stream().sorted().map(State::name).collect(Collectors.joining(" or ")));
        }
        return Collections.unmodifiableSet(states);
    }

    @Override
    public Optional<Task> task() {
        return calls().tasks().latest();
    }

    @Override
    public StoredCalls by(String name) {
        return new DefaultStoredCalls(durable, name, null);
    }
}

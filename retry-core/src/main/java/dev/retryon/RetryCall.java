/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of one call from attempt to attempt; made when the call has failed once or its context was asked for.
 * It knows neither who makes the attempts nor who waits, so a blocking, an asynchronous and a stored call are alike.
 */
final class RetryCall implements RetryContext {

    private static final long NOT_STARTED = Long.MIN_VALUE;

    private final CallSettings settings;

    private final CallId callId;

    /** The ticker's time when the call began; read when it is needed, unless it has to be the very beginning. */
    private long started = NOT_STARTED;

    /** The time of day when the call began; set when it is first asked for. */
    private @Nullable Instant startedAt;

    private int attempt = 1;

    private @Nullable Object subject;

    /** The description of the subject; made when it is first asked for. */
    private @Nullable CallSubject described;

    /** The last error, or the {@link ErrorText} that is kept of it if the call was restored after it. */
    private @Nullable Object lastFailure;

    private @Nullable Duration lastDelay;

    /** What was before the last error and, once that is there, the last delay. */
    private @Nullable PastAttempt past;

    /** The moment at which an attempt failed last; {@code null} if it is not needed, or has not been read yet. */
    private @Nullable CallFacts failedAt;

    /** Whether that moment has to be read still: the event of the retry that follows reads it anyway. */
    private boolean untimed;

    private @Nullable StopReason stopReason;

    /** Whether the hold on this call, which was taken over, still stands; {@code null} for a call of this process. */
    private @Nullable BooleanSupplier lease;

    private @Nullable Map<String, Object> attributes;

    /** The state of a call whose time counts from when it is first asked for, or from its first retry. */
    RetryCall(CallSettings settings) {
        this(settings, new CallId());
    }

    private RetryCall(CallSettings settings, CallId callId) {
        this.settings = settings;
        this.callId = callId;
    }

    /** The state of a call whose time counts from now on. */
    static RetryCall begin(CallSettings settings) {
        RetryCall call = new RetryCall(settings);
        call.elapsedNanos(call.tick());
        return call;
    }

    /**
     * A call that was stored. Its next attempt follows {@link #next}.
     *
     * @param lease whether the hold on it still stands; {@code null} if nobody else can take it over
     */
    static RetryCall restore(CallSettings settings, CallState state, @Nullable BooleanSupplier lease) {
        RetryCall call = new RetryCall(settings, new CallId(state.callId()));
        call.lease = lease;
        Duration elapsed =
                Duration.between(state.startedAt(), call.engine().clock().instant());
        call.startedAt = state.startedAt();
        call.startAt(call.tick() - Durations.nanos(elapsed));
        call.attempt = state.attempt();
        call.lastDelay = state.lastDelay();
        call.lastFailure = state.error();
        call.failedAt = call.moment(state.failedAt());
        for (CallState.Failed failed : state.past()) {
            call.past = PastAttempt.add(
                    call.past, failed.number(), failed.error(), failed.delay(), call.moment(failed.failedAt()));
        }
        return call;
    }

    private @Nullable CallFacts moment(@Nullable Instant time) {
        return time == null ? null : new CallFacts(name(), callId, attempt, maxAttempts(), time, 0, 0);
    }

    /** What has to be stored to go on with this call, of which an attempt has failed. */
    CallState state() {
        if (untimed) {
            failedAt(snapshot());
        }
        return new CallState(
                callId(),
                attempt,
                lastDelay,
                startedAt(),
                PastAttempt.list(
                        past,
                        failed -> new CallState.Failed(
                                failed.number(), failed.text(), failed.delay(), millis(failed.failedAt())),
                        null,
                        PastAttempt.ERRORS),
                lastText(),
                millis(failedAt));
    }

    private static @Nullable Instant millis(@Nullable CallFacts moment) {
        return moment == null ? null : moment.at().truncatedTo(ChronoUnit.MILLIS);
    }

    private void failedAt(CallFacts moment) {
        failedAt = moment;
        untimed = false;
    }

    /** What the queue of dead letters receives. */
    FailedCall failedFor(StopReason reason) {
        Throwable error = lastError();
        return new FailedCall(
                name(),
                described != null ? described : settings.describe(subject),
                state(),
                error,
                error == null ? null : engine().errorCodes().of(ErrorChain.of(error)),
                reason);
    }

    /** How long the call has taken until a tick. If the call has no start yet, it starts at that tick. */
    private long elapsedNanos(long tick) {
        if (started == NOT_STARTED) {
            startAt(tick);
        }
        return Math.max(0, tick - started);
    }

    private long tick() {
        return engine().ticker().read();
    }

    private void startAt(long time) {
        started = time == NOT_STARTED ? time + 1 : time;
    }

    CallSettings settings() {
        return settings;
    }

    RetryPolicy policy() {
        return settings.policy();
    }

    RetryEngine engine() {
        return settings.engine();
    }

    /**
     * Leaves the history of this call, which has failed for good, in its error.
     *
     * @param around the call that this one is made in, as {@link CallFrame#around} identifies it
     */
    void leaveHistory(Throwable error, StopReason reason, @Nullable WeakReference<?> around) {
        RetryHistory.Story story = new RetryHistory.Story(name(), attempt, reason, past, around);
        RetryHistory.attach(error, story, this, settings.mark());
    }

    /** Sets what the call is about, as its attempts and its recovery take it. */
    void about(@Nullable Object subject) {
        this.subject = subject;
    }

    /** Sets the description of what the call is about, which has no attempts of its own any more. */
    void describedAs(CallSubject description) {
        subject = description;
        described = description;
    }

    /**
     * Records that the current attempt failed.
     *
     * @param thrown what it threw; {@code null} if it returned a value that is to be retried
     * @return the error inside wrappers
     */
    @Nullable Throwable failed(@Nullable Throwable thrown) {
        if (lastDelay != null) {
            past = PastAttempt.add(past, attempt - 1, lastFailure, lastDelay, failedAt);
        }
        untimed = settings.isEverStored();
        Throwable error = thrown == null ? null : Causes.unwrap(thrown);
        lastFailure = error;
        return error;
    }

    /** Records that the next attempt begins after a delay. */
    void next(Duration delay) {
        if (attempt > 0) {
            lastDelay = delay;
        }
        attempt++;
    }

    /** Whether a value that an attempt returned is not to be retried. */
    boolean accepts(@Nullable Object about, @Nullable Object value) {
        BiPredicate<@Nullable Object, RetryContext> retryIf = policy().retryIf();
        if (retryIf == null) {
            return true;
        }
        about(about);
        try {
            return !retryIf.test(value, this);
        } catch (Throwable ex) {
            settings.retryIfFailed(retryIf, ex);
            return true;
        }
    }

    void publishRetry(Duration delay) {
        int first = firstWanting(RetryScheduled.class);
        if (first != Listeners.NOBODY || untimed) {
            CallFacts facts = snapshot();
            if (untimed) {
                failedAt(facts);
            }
            if (first != Listeners.NOBODY) {
                publish(first, new RetryScheduled(facts, delay, lastError()));
            }
        } else if (started == NOT_STARTED) {
            elapsedNanos(tick());
        }
    }

    void publishSuccess() {
        int first = firstWanting(RetrySucceeded.class);
        if (first != Listeners.NOBODY) {
            Throwable error = lastError();
            String stored = lastFailure instanceof ErrorText text ? text.type() : null;
            String type = error == null ? stored : error.getClass().getName();
            publish(first, new RetrySucceeded(snapshot(), error, type));
        }
    }

    private @Nullable ErrorText lastText() {
        return lastFailure instanceof Throwable error ? ErrorText.of(error) : (ErrorText) lastFailure;
    }

    void publishFailure(StopReason reason, boolean recovered) {
        int first = firstWanting(RetryFailed.class);
        if (first != Listeners.NOBODY) {
            publish(first, new RetryFailed(snapshot(), lastError(), reason, recovered));
        }
    }

    void publishDeadLetter(StopReason reason) {
        int first = firstWanting(DeadLettered.class);
        if (first != Listeners.NOBODY) {
            publish(first, new DeadLettered(snapshot(), lastError(), reason));
        }
    }

    private int firstWanting(Class<? extends RetryEvent> type) {
        return engine().listeners().firstWanting(settings.listener(), type);
    }

    private void publish(int first, RetryEvent event) {
        engine().listeners().send(settings.listener(), first, event);
    }

    /** What events and failures keep of this call. */
    CallFacts snapshot() {
        long tick = tick();
        TimeOfDay.Reading reading = engine().timeOfDay().at(tick);
        return new CallFacts(
                name(), callId, attempt, maxAttempts(), reading.time(), tick - reading.tick(), elapsedNanos(tick));
    }

    /** How the call ended. */
    <T extends @Nullable Object> RetryResult<T> result(@Nullable T value, @Nullable Throwable error) {
        return RetryResult.of(value, error, attempt, elapsed(), delays(), errors(), stopReason);
    }

    @Nullable Duration previousDelay() {
        return lastDelay;
    }

    /** The latest errors, the oldest first. */
    List<Throwable> errors() {
        return PastAttempt.list(past, PastAttempt::error, lastError(), PastAttempt.ERRORS);
    }

    private List<Duration> delays() {
        boolean known = past != null && past.number() == attempt - 1;
        return PastAttempt.list(past, PastAttempt::delay, known ? null : lastDelay, PastAttempt.DELAYS);
    }

    /** Records why the call has failed for good. */
    void stopped(StopReason reason) {
        stopReason = reason;
    }

    /** Asks the recovery, which is there. */
    @SuppressWarnings("NullAway") // the subject is null only where its type admits it
    @Nullable Object recover(Throwable thrown, StopReason reason) throws Throwable {
        return Objects.requireNonNull(settings.recovery())
                .recover(subject, new RetryFailure(snapshot(), thrown, errors(), reason));
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public String callId() {
        return callId.value();
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public int maxAttempts() {
        return policy().maxAttempts();
    }

    @Override
    public boolean isLastAttempt() {
        return attempt >= policy().maxAttempts() || !policy().retryable() || settings.isSwitchedOff();
    }

    @Override
    public @Nullable Throwable lastError() {
        return lastFailure instanceof Throwable error ? error : null;
    }

    @Override
    public Duration elapsed() {
        return Duration.ofNanos(elapsedNanos(tick()));
    }

    @Override
    public @Nullable Instant deadline() {
        Duration timeout = policy().timeout();
        if (timeout == null) {
            return null;
        }
        Instant start = startedAt();
        return timeout.compareTo(Duration.between(start, Instant.MAX)) < 0 ? start.plus(timeout) : Instant.MAX;
    }

    private synchronized Instant startedAt() {
        if (startedAt == null) {
            startedAt = engine().clock().instant().minus(elapsed());
        }
        return startedAt;
    }

    /** Whether this call was taken over from the one who made it, who gets no error of it any more. */
    boolean isResumed() {
        return lease != null;
    }

    @Override
    public boolean isDurable() {
        return settings.handover() != null;
    }

    @Override
    public boolean leaseValid() {
        return lease == null || lease.getAsBoolean();
    }

    @Override
    public synchronized Map<String, Object> attributes() {
        if (attributes == null) {
            attributes = new ConcurrentHashMap<>(4);
        }
        return attributes;
    }

    @Override
    public @Nullable CallSubject subject() {
        if (described == null && subject != null) {
            described = settings.describe(subject);
        }
        return described;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import dev.retryon.backoff.DurationText;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The state of a call of any style, created after the first failure or when code asks for the context. */
final class RetryCall implements RetryContext {

    /** A clock reading that does not exist yet, or that has failed. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final CallSettings settings;

    private final CallId callId;

    /** The {@link RetryTime#nanoTime()} when the call started, read when it is first needed. */
    private long started = UNKNOWN;

    /** The time of day when the call started, computed when it is first needed. */
    private @Nullable Instant startedAt;

    /** The {@link RetryTime#nanoTime()} when the first attempt had failed. */
    private long firstFailed = UNKNOWN;

    /** The time of the first failure, as it is stored; {@code null} if it is not needed or unknown. */
    private @Nullable Instant firstFailedAt;

    private int attempt = 1;

    private @Nullable Object subject;

    /** The description of the subject, created when it is first needed. */
    private @Nullable CallSubject described;

    /** The last error; its {@link ErrorText} if the call was restored. */
    private @Nullable Object lastFailure;

    private @Nullable Duration lastDelay;

    private final PastAttempts past = new PastAttempts();

    /** The time of the last failure, as it is stored; {@code null} if it is not needed or unknown. */
    private @Nullable Instant failedAt;

    /** The policy, or the policy of the rule for the last error. */
    private RetryPolicy applied;

    private @Nullable StopReason stopReason;

    /** Whether this process has the lease of a stored call; {@code null} for other calls. */
    private @Nullable BooleanSupplier lease;

    private @Nullable Map<String, Object> attributes;

    /** Surrounds the running attempt, if it is not the first one. */
    private ContextCapture.@Nullable Scope scope;

    /** Creates a call whose time counts from the first reading of the clock. */
    RetryCall(CallSettings settings) {
        this(settings, new CallId());
    }

    private RetryCall(CallSettings settings, CallId callId) {
        this.settings = settings;
        this.callId = callId;
        this.applied = settings.policy();
    }

    /** Creates a call whose time counts from now. */
    static RetryCall begin(CallSettings settings) {
        RetryCall call = new RetryCall(settings);
        call.started = call.tick();
        return call;
    }

    /** Restores a stored call, whose next attempt follows {@link #next}. */
    static RetryCall restore(CallSettings settings, CallState state, @Nullable BooleanSupplier lease) {
        RetryCall call = new RetryCall(settings, new CallId(state.callId()));
        call.lease = lease;
        call.startedAt = state.startedAt();
        call.started = call.tickAt(state.startedAt());
        if (state.attempt() > 0) {
            call.firstFailedAt = Objects.requireNonNullElse(state.firstFailedAt(), state.startedAt());
            call.firstFailed = call.tickAt(call.firstFailedAt);
        }
        call.attempt = state.attempt();
        call.lastDelay = state.lastDelay();
        call.lastFailure = state.error();
        call.failedAt = state.failedAt();
        for (CallState.Failed failed : state.past()) {
            call.past.add(new PastAttempts.Past(failed.number(), failed.error(), failed.delay(), failed.failedAt()));
        }
        return call;
    }

    /** Converts a stored time, which can be in the future because it is planned or another machine's clock is ahead. */
    private long tickAt(Instant time) {
        long tick = tick();
        Duration since = Duration.between(time, now());
        return tick == UNKNOWN ? tick : known(tick - Math.max(0, DurationMath.nanos(since)));
    }

    /** Returns the state to store after a failed attempt. */
    CallState state() {
        return new CallState(
                callId(),
                attempt,
                lastDelay,
                startedAt(),
                past.latest(
                        PastAttempts.ERRORS,
                        failed ->
                                new CallState.Failed(failed.number(), failed.text(), failed.delay(), failed.failedAt()),
                        null),
                lastText(),
                failedAt,
                firstFailedAt);
    }

    private static long between(long start, long end) {
        return start == UNKNOWN || end == UNKNOWN ? 0 : Math.max(0, end - start);
    }

    private long tick() {
        try {
            return known(engine().time().nanoTime());
        } catch (Throwable ex) {
            settings.report(Kind.WAIT, "the clock failed, so the elapsed time of the call is unknown", ex, null);
            return UNKNOWN;
        }
    }

    private static long known(long tick) {
        return tick == UNKNOWN ? tick + 1 : tick;
    }

    private Instant now() {
        try {
            return engine().time().instant();
        } catch (Throwable ex) {
            settings.report(Kind.WAIT, "the clock failed, so the system clock is used", ex, null);
            return Instant.now();
        }
    }

    CallSettings settings() {
        return settings;
    }

    RetryEngine engine() {
        return settings.engine();
    }

    void leaveHistory(Throwable error, StopReason reason, @Nullable WeakReference<?> around) {
        RetryHistory.Story story = new RetryHistory.Story(
                name(),
                attempt,
                reason,
                past.latest(PastAttempts.ERRORS, PastAttempts.Past::delay, null),
                past.latest(PastAttempts.ERRORS, PastAttempts.Past::text, null),
                past.newest() > PastAttempts.ERRORS);
        RetryHistory.attach(error, story, around, this, settings);
    }

    void about(@Nullable Object subject) {
        this.subject = subject;
    }

    /** Sets the description of a call that has no more attempts. */
    void describedAs(CallSubject description) {
        subject = description;
        described = description;
    }

    /** Records a failed attempt and returns its unwrapped error; {@code null} if it returned a value to retry. */
    @Nullable Throwable failed(@Nullable Throwable thrown) {
        if (lastDelay != null) {
            past.add(new PastAttempts.Past(attempt - 1, lastFailure, lastDelay, failedAt));
        }
        failedAt = settings.isEverStored() ? now().truncatedTo(ChronoUnit.MILLIS) : null;
        if (firstFailedAt == null) {
            firstFailedAt = failedAt;
        }
        if (firstFailed == UNKNOWN) {
            firstFailed = tick();
            started = started == UNKNOWN ? firstFailed : started;
        }
        Throwable error = thrown == null ? null : ErrorChain.unwrap(thrown);
        lastFailure = error;
        return error;
    }

    /** Sets the policy that applies after the last failure, either the call's policy or the policy of the rule for the error. */
    void apply(RetryPolicy policy) {
        applied = policy;
    }

    RetryPolicy applied() {
        return applied;
    }

    /** Counts the next attempt, which follows after the given delay. */
    void next(Duration delay) {
        if (attempt > 0) {
            lastDelay = delay;
        }
        attempt++;
    }

    /**
     * Starts the next attempt: counts it, sets its context, and runs {@link BeforeRetry}. The caller ends the attempt with
     * {@link #leaveRetry}.
     *
     * @param delay the delay that has passed
     * @return the reason why the attempt must not run after all, and is therefore not counted; {@code null} if it can run
     * @throws Throwable the error of {@link BeforeRetry}, which is the error of this attempt and ends the call
     */
    @Nullable StopReason start(Duration delay) throws Throwable {
        Duration previous = lastDelay;
        next(delay);
        if (!prepare()) {
            return null;
        }
        // The attempt might have become impossible while BeforeRetry ran.
        StopReason halted = settings.halted();
        StopReason reason = halted == null && isTooLate(Duration.ZERO) ? StopReason.TIMEOUT : halted;
        if (reason != null) {
            lastDelay = previous;
            attempt--;
        }
        return reason;
    }

    /** Starts the attempt of a resumed call, which is already counted. Throws the same exceptions as {@link #start}. */
    void resume(@Nullable Object subject) throws Throwable {
        if (attempt > 1) {
            about(subject);
            prepare();
        }
    }

    /** Sets the context of an attempt and runs {@link BeforeRetry}. Returns whether such code is set. */
    @SuppressWarnings("NullAway") // the subject is null only where its type admits it
    private boolean prepare() throws Throwable {
        scope = CapturedContext.around(this);
        BeforeRetry<Object> beforeRetry = settings.beforeRetry();
        if (beforeRetry == null) {
            return false;
        }
        try {
            Extensions.run(beforeRetry, () -> beforeRetry.run(subject, this));
        } catch (Throwable ex) {
            Throwable last = lastError();
            if (last != null) {
                Suppression.add(ex, last);
            }
            stopReason = StopReason.NOT_RETRYABLE;
            throw ex;
        }
        return true;
    }

    /** Returns whether the policy's timeout is over when the given delay is over. */
    boolean isTooLate(Duration delay) {
        Duration timeout = settings.policy().timeout();
        return timeout != null && elapsed().plus(delay).compareTo(timeout) > 0;
    }

    /** Returns whether a returned value must not be retried. */
    boolean accepts(@Nullable Object about, @Nullable Object value) {
        BiPredicate<@Nullable Object, RetryContext> retryIf = settings.policy().retryIf();
        if (retryIf == null) {
            return true;
        }
        about(about);
        try {
            return !Extensions.ask(retryIf, false, () -> retryIf.test(value, this));
        } catch (Throwable ex) {
            String sentence = "the gate '" + ExtensionErrorReporter.print(retryIf)
                    + "' failed, so the returned value is accepted";
            settings.report(Kind.GATE, sentence, ex, null);
            return true;
        }
    }

    /** Closes the scopes around an attempt, on the attempt's thread. A first attempt has none. */
    void leaveRetry() {
        if (scope != null) {
            scope.close();
            scope = null;
        }
    }

    void publishRetry(Duration delay) {
        // Storing the call took time, but the event has the time of the failure.
        publish(() ->
                new RetryScheduled(facts(Objects.requireNonNullElseGet(failedAt, this::now)), delay, lastError()));
    }

    void publishSuccess() {
        Throwable error = lastError();
        String stored = lastFailure instanceof ErrorText text ? text.type() : null;
        publish(() -> new RetrySucceeded(
                facts(now()), error, error == null ? stored : error.getClass().getName()));
    }

    void publishFailure(StopReason reason, boolean recovered) {
        publish(() -> new RetryFailed(facts(now()), lastError(), reason, recovered));
    }

    void publishDeadLetter(StopReason reason) {
        publish(() -> new DeadLettered(facts(now()), lastError(), reason));
    }

    private void publish(Supplier<RetryEvent> event) {
        engine().tellListeners(settings.listeners(), event);
    }

    private @Nullable ErrorText lastText() {
        return lastFailure instanceof Throwable error ? ErrorText.of(error) : (ErrorText) lastFailure;
    }

    private RetryEvent.Facts facts(Instant at) {
        return new RetryEvent.Facts(name(), callId, attempt, maxAttempts(), at, between(firstFailed, tick()));
    }

    <T extends @Nullable Object> RetryResult<T> result(@Nullable T value, @Nullable Throwable error) {
        return new RetryResult<>(value, error, attempt, elapsed(), delays(), errors(), stopReason);
    }

    /** Returns the delay of the policy, or of the rule for the last error, before the next retry. */
    Duration backoffDelay() {
        return applied.delays().delay(attempt, lastDelay, engine().random(), failure -> {
            String sentence = "backoff " + ExtensionErrorReporter.print(applied.backoff())
                    + " failed, so the base delay of " + DurationText.print(applied.delay()) + " is used";
            settings.report(Kind.BACKOFF, sentence, failure, null);
        });
    }

    private List<Duration> delays() {
        boolean known = past.newest() == attempt - 1;
        return past.latest(PastAttempts.DELAYS, PastAttempts.Past::delay, known ? null : lastDelay);
    }

    void stopped(StopReason reason) {
        stopReason = reason;
    }

    /** Returns whether the call has no further attempt, regardless of its error. */
    boolean isStopped() {
        return stopReason != null;
    }

    @SuppressWarnings("NullAway") // the subject is null only where its type admits it
    @Nullable Object recover(RetryRecovery<Object, ?> recovery, Throwable thrown) throws Throwable {
        return recovery.recover(subject, thrown, this);
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
        // For a stored call, it is unknown which rule allowed the latest attempt.
        return attempt > applied.maxAttempts() && isResumed()
                ? settings.policy().rules().mostAttempts()
                : applied.maxAttempts();
    }

    @Override
    public boolean isLastAttempt() {
        RetryPolicy policy = settings.policy();
        return attempt >= policy.rules().mostAttempts() || !policy.retryable() || settings.isSwitchedOff();
    }

    @Override
    public @Nullable Throwable lastError() {
        return lastFailure instanceof Throwable error ? error : null;
    }

    @Override
    public List<Throwable> errors() {
        return past.latest(PastAttempts.ERRORS, PastAttempts.Past::error, lastError());
    }

    @Override
    public @Nullable StopReason stopReason() {
        return stopReason;
    }

    @Override
    public Duration elapsed() {
        long tick = tick();
        if (started == UNKNOWN) {
            started = tick;
        }
        return Duration.ofNanos(between(started, tick));
    }

    @Override
    public @Nullable Instant deadline() {
        Duration timeout = settings.policy().timeout();
        if (timeout == null) {
            return null;
        }
        Instant start = startedAt();
        return timeout.compareTo(Duration.between(start, Instant.MAX)) < 0 ? start.plus(timeout) : Instant.MAX;
    }

    private synchronized Instant startedAt() {
        if (startedAt == null) {
            startedAt = now().minus(elapsed());
        }
        return startedAt;
    }

    /** Returns whether the caller has handed this call over and therefore no longer receives its error. */
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

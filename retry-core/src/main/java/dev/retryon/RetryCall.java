/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** One call that failed once, or whose context was asked for: its state from attempt to attempt. */
final class RetryCall implements RetryContext {

    private final Retry retry;

    /** When the call began; read when it is needed, unless it has to be the very beginning. */
    private long started;

    private boolean isStarted;

    private int attempt = 1;

    private @Nullable Object subject;

    /** The description of the subject; made when somebody asks for it. */
    private @Nullable CallSubject described;

    private @Nullable Throwable lastError;

    private @Nullable Duration lastDelay;

    /** What was before the last error and, once that is there, the last delay. */
    private @Nullable PastAttempt past;

    private @Nullable StopReason stopReason;

    private @Nullable Map<String, Object> attributes;

    private @Nullable String callId;

    /** The state of a call whose time counts from when it is first asked for, or from its first retry. */
    RetryCall(Retry retry) {
        this.retry = retry;
    }

    /** The state of a call whose time counts from now on. */
    static RetryCall begin(Retry retry) {
        RetryCall call = new RetryCall(retry);
        call.start();
        return call;
    }

    private void start() {
        if (!isStarted) {
            started = engine().ticker().read();
            isStarted = true;
        }
    }

    Retry retry() {
        return retry;
    }

    RetryPolicy policy() {
        return retry.policy();
    }

    RetryEngine engine() {
        return retry.engine();
    }

    void about(@Nullable Object subject) {
        this.subject = subject;
    }

    /**
     * The current attempt failed.
     *
     * @param thrown what it threw; {@code null} if it returned a value that is to be retried
     * @return the error inside wrappers
     */
    @Nullable Throwable failed(@Nullable Throwable thrown) {
        if (lastDelay != null) {
            past = PastAttempt.add(past, attempt - 1, lastError, lastDelay);
        }
        lastError = thrown == null ? null : Causes.unwrap(thrown);
        return lastError;
    }

    void next(Duration delay) {
        lastDelay = delay;
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
            CoreLog.warn(name() + ": retryIf failed, so the returned value is not retried", ex);
            return true;
        }
    }

    /** The call has failed for good. */
    void stopped(@Nullable Throwable thrown, StopReason reason) {
        this.stopReason = reason;
        if (thrown != null) {
            RetryHistory.attach(thrown, this, reason);
        }
    }

    void publishRetry(Duration delay) {
        start();
        if (wants(RetryScheduled.class)) {
            publish(new RetryScheduled(this, delay, lastError));
        }
    }

    void publishSuccess() {
        if (wants(RetrySucceeded.class)) {
            publish(new RetrySucceeded(this, lastError));
        }
    }

    void publishFailure(boolean recovered) {
        if (wants(RetryFailed.class)) {
            publish(new RetryFailed(this, lastError, Objects.requireNonNull(stopReason), recovered));
        }
    }

    private boolean wants(Class<? extends RetryEvent> type) {
        RetryListener own = retry.listener();
        return engine().wants(type) || (own != null && engine().wants(own, type));
    }

    private void publish(RetryEvent event) {
        RetryListener own = retry.listener();
        if (own != null) {
            engine().tell(own, event);
        }
        engine().publish(event);
    }

    @Nullable Duration previousDelay() {
        return lastDelay;
    }

    /** What was before the last failure. */
    @Nullable PastAttempt past() {
        return past;
    }

    List<Throwable> errors() {
        return PastAttempt.list(past, PastAttempt::error, lastError);
    }

    List<Duration> delays() {
        boolean known = past != null && past.number() == attempt - 1;
        return PastAttempt.list(past, PastAttempt::delay, known ? null : lastDelay);
    }

    @Nullable StopReason stopReason() {
        return stopReason;
    }

    /** Whether a recovery may serve the caller of this call, which has stopped with an error. */
    boolean isRecoverable() {
        return retry.recovery() != null
                && switch (Objects.requireNonNull(stopReason)) {
                    case NOT_RETRYABLE, INTERRUPTED, CANCELLED, DISCARD, FAIL -> false;
                    default -> true;
                };
    }

    /** What the recovery gives the caller; asked only if there may be one. */
    @SuppressWarnings("NullAway") // the subject is null only where its type admits it
    @Nullable Object recover(Throwable thrown) throws Throwable {
        return Objects.requireNonNull(retry.recovery())
                .recover(subject, new RetryFailure(this, thrown, Objects.requireNonNull(stopReason)));
    }

    /** What goes to the caller if the recovery failed too. */
    Throwable afterRecovery(Throwable failure, Throwable thrown) {
        engine().suppress(this, thrown, failure);
        return failure;
    }

    @Override
    public String name() {
        return retry.name();
    }

    @Override
    public synchronized String callId() {
        if (callId == null) {
            callId = UUID.randomUUID().toString();
        }
        return callId;
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
        return attempt >= policy().maxAttempts() || !policy().retryable();
    }

    @Override
    public @Nullable Throwable lastError() {
        return lastError;
    }

    @Override
    public Duration elapsed() {
        return Duration.ofNanos(elapsedNanos());
    }

    long elapsedNanos() {
        start();
        return Math.max(0, engine().ticker().read() - started);
    }

    @Override
    public @Nullable Instant deadline() {
        Duration timeout = policy().timeout();
        if (timeout == null) {
            return null;
        }
        Instant now = engine().clock().instant();
        Duration remaining = timeout.minusNanos(elapsedNanos());
        return remaining.compareTo(Duration.between(now, Instant.MAX)) < 0 ? now.plus(remaining) : Instant.MAX;
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
            described = retry.describe(subject);
        }
        return described;
    }
}

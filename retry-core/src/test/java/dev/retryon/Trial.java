// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.test.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs one call after the other in virtual time, and keeps what happened. */
final class Trial implements RetryListener {

    final VirtualTime time = new VirtualTime();

    final RetryEngine engine;

    final Retry retry;

    private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

    private int attempts;

    private @Nullable Object value;

    private @Nullable Throwable thrown;

    Trial(RetryPolicyBuilder policy) {
        this(policy, engine -> engine);
    }

    Trial(RetryPolicyBuilder policy, UnaryOperator<RetryEngineBuilder> settings) {
        this(policy, settings, retry -> retry);
    }

    Trial(RetryPolicyBuilder policy, UnaryOperator<RetryEngineBuilder> engine, UnaryOperator<RetryBuilder> settings) {
        this.engine = engine.apply(time.engine().listener(this)).build();
        this.retry = settings.apply(Retry.builder("trial", policy.build()).engine(this.engine))
                .build();
    }

    /** A policy that retries input and output errors five times, one second apart. */
    static RetryPolicyBuilder policy() {
        return RetryPolicy.builder()
                .retryOn(java.io.IOException.class)
                .maxAttempts(6)
                .backoff("fixed")
                .jitter(dev.retryon.backoff.Jitter.none());
    }

    /**
     * Makes a call.
     *
     * @param outcomes what its attempts throw or return, one after the other; the last one is repeated
     */
    Trial call(Object... outcomes) {
        attempts = 0;
        value = null;
        thrown = null;
        events.clear();
        time.clearWaits();
        try {
            value = retry.call("subject", (subject, attempt) -> {
                attempts++;
                Object outcome = outcomes[Math.min(attempt, outcomes.length) - 1];
                if (outcome instanceof Throwable failure) {
                    throw failure;
                }
                return outcome;
            });
        } catch (Throwable ex) {
            thrown = ex;
        }
        return this;
    }

    int attempts() {
        return attempts;
    }

    @Nullable Object value() {
        return value;
    }

    @Nullable Throwable thrown() {
        return thrown;
    }

    List<Duration> waits() {
        return time.waits();
    }

    List<RetryEvent> events() {
        return events;
    }

    /** Why the call ended in failure; {@code null} if it did not. */
    @Nullable StopReason reason() {
        return events.stream()
                .filter(RetryFailed.class::isInstance)
                .map(event -> ((RetryFailed) event).reason())
                .findFirst()
                .orElse(null);
    }

    @Override
    public void onEvent(RetryEvent event) {
        events.add(event);
    }
}

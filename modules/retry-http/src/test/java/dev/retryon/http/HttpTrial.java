// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryEngine;
import dev.retryon.RetryEngineBuilder;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.RetryScheduled;
import dev.retryon.RetryTime;
import dev.retryon.StopReason;
import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What retries requests, with waits that pass at once and are kept, and the events that come of it. */
final class HttpTrial implements RetryListener {

    private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

    final RetryEngine engine;

    final HttpRetry http;

    HttpTrial() {
        this(http -> http);
    }

    HttpTrial(UnaryOperator<HttpRetry.Builder> settings) {
        this(engine -> engine, settings);
    }

    HttpTrial(UnaryOperator<RetryEngineBuilder> engineSettings, UnaryOperator<HttpRetry.Builder> settings) {
        this.engine = engineSettings
                .apply(RetryEngine.builder().listener(this).time(atOnce()))
                .build();
        this.http = settings.apply(HttpRetry.builder().engine(engine).policy(policy().build()))
                .build();
    }

    static RetryPolicyBuilder policy() {
        return RetryPolicy.builder().delay(Duration.ofSeconds(1)).jitter(Jitter.none());
    }

    /** Waits are over at once; limits of attempts never come. */
    private static RetryTime atOnce() {
        return new RetryTime() {
            @Override
            public void sleep(Duration delay) {}

            @Override
            public Handle schedule(Runnable task, Duration delay) {
                task.run();
                return () -> {};
            }

            @Override
            public Handle limit(Runnable task, Duration delay) {
                return () -> {};
            }
        };
    }

    /** A time in which only the waits between blocking attempts differ. */
    static RetryTime sleeping(Sleep sleep) {
        return new RetryTime() {
            @Override
            public void sleep(Duration delay) throws InterruptedException {
                sleep.sleep(delay);
            }
        };
    }

    @FunctionalInterface
    interface Sleep {

        void sleep(Duration delay) throws InterruptedException;
    }

    List<Duration> waits() {
        return events.stream()
                .filter(RetryScheduled.class::isInstance)
                .map(event -> ((RetryScheduled) event).delay())
                .toList();
    }

    List<RetryEvent> events() {
        return events;
    }

    /** Why the request ended in failure; {@code null} if it did not. */
    @Nullable StopReason reason() {
        return events.stream()
                .filter(RetryFailed.class::isInstance)
                .map(event -> ((RetryFailed) event).reason())
                .findFirst()
                .orElse(null);
    }

    /** How many attempts were made of a request that was retried or failed. */
    int attempts() {
        return events.get(events.size() - 1).attempt();
    }

    @Override
    public void onEvent(RetryEvent event) {
        events.add(event);
    }
}

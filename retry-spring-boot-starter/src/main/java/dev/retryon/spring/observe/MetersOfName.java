/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.StopReason;
import dev.retryon.spring.method.CallCounters;
import dev.retryon.spring.observe.RetryMeterDocumentation.TagKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The meters of one name, found without asking the registry again. Thread-safe. */
final class MetersOfName {

    private final MeterRegistry registry;

    private final Tags tags;

    private final Timer delay;

    private final Counter successesAfterRetry;

    private final Map<StopReason, Counter> failures = new ConcurrentHashMap<>();

    private final Map<StopReason, Counter> recoveries = new ConcurrentHashMap<>();

    private final Map<String, Counter> retries = new ConcurrentHashMap<>();

    MetersOfName(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
        this.delay = Timer.builder(RetryMeterDocumentation.DELAY.getName())
                .description(RetryMeterDocumentation.DELAY.getDescription())
                .tags(tags)
                .register(registry);
        this.successesAfterRetry = calls(RetryOutcome.SUCCESS_AFTER_RETRY, null);
        // The usual ends; others begin when they first happen.
        failures(StopReason.EXHAUSTED);
        failures(StopReason.NOT_RETRYABLE);
    }

    /** Shows what nobody tells us of. */
    void observe(CallCounters counters) {
        FunctionCounter.builder(RetryMeterDocumentation.CALLS.getName(), counters.successes(), LongAdder::sum)
                .description(RetryMeterDocumentation.CALLS.getDescription())
                .tags(callTags(RetryOutcome.SUCCESS, null))
                .register(registry);
        Gauge.builder(RetryMeterDocumentation.WAITING.getName(), counters.waiting(), LongAdder::sum)
                .description(RetryMeterDocumentation.WAITING.getDescription())
                .tags(tags)
                .register(registry);
    }

    void retried(String exception, Duration wait) {
        retries(exception).increment();
        delay.record(wait);
    }

    void succeeded() {
        successesAfterRetry.increment();
    }

    void failed(StopReason reason, boolean recovered) {
        (recovered ? recoveries(reason) : failures(reason)).increment();
    }

    Counter retries(String exception) {
        return retries.computeIfAbsent(
                exception,
                missing -> Counter.builder(RetryMeterDocumentation.RETRIES.getName())
                        .description(RetryMeterDocumentation.RETRIES.getDescription())
                        .tags(tags.and(TagKey.EXCEPTION.asString(), missing))
                        .register(registry));
    }

    private Counter failures(StopReason reason) {
        return failures.computeIfAbsent(reason, missing -> calls(RetryOutcome.FAILURE, missing));
    }

    private Counter recoveries(StopReason reason) {
        return recoveries.computeIfAbsent(reason, missing -> calls(RetryOutcome.RECOVERED, missing));
    }

    private Counter calls(RetryOutcome outcome, @Nullable StopReason reason) {
        return Counter.builder(RetryMeterDocumentation.CALLS.getName())
                .description(RetryMeterDocumentation.CALLS.getDescription())
                .tags(callTags(outcome, reason))
                .register(registry);
    }

    private Tags callTags(RetryOutcome outcome, @Nullable StopReason reason) {
        return tags.and(TagKey.OUTCOME.asString(), outcome.tag(), TagKey.REASON.asString(), RetryOutcome.tag(reason));
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.StopReason;
import dev.retryon.spring.internal.observe.RetryMeterDocumentation.TagKey;
import dev.retryon.spring.internal.policy.CallCounters;
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
final class NamedMeters {

    private final MeterRegistry registry;

    private final Tags tags;

    private final Timer delay;

    private final Counter successesAfterRetry;

    private final Map<StopReason, Counter> failures = new ConcurrentHashMap<>();

    private final Map<StopReason, Counter> recoveries = new ConcurrentHashMap<>();

    private final Map<String, Counter> retries = new ConcurrentHashMap<>();

    /** Made for names whose calls are kept; the registry gives two threads the same one. */
    private volatile @Nullable Counter stored;

    NamedMeters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
        this.delay = Timer.builder(RetryMeterDocumentation.DELAY.getName())
                .description(RetryMeterDocumentation.DELAY.getDescription())
                .tags(tags)
                .register(registry);
        this.successesAfterRetry = calls(RetryOutcome.SUCCESS_AFTER_RETRY, null);
        // The usual ends of any call. What else is known of a name is made known by the methods below.
        ending(StopReason.EXHAUSTED, false);
        ending(StopReason.NOT_RETRYABLE, false);
    }

    /** Shows what is counted without an event. */
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
        ending(reason, recovered).increment();
    }

    /** The counter of retries after an error; made at zero. */
    Counter retries(String exception) {
        Counter known = retries.get(exception);
        return known != null
                ? known
                : retries.computeIfAbsent(
                        exception,
                        missing -> Counter.builder(RetryMeterDocumentation.RETRIES.getName())
                                .description(RetryMeterDocumentation.RETRIES.getDescription())
                                .tags(tags.and(TagKey.EXCEPTION.asString(), missing))
                                .register(registry));
    }

    /** The counter of calls that ended for a reason; made at zero. */
    Counter ending(StopReason reason, boolean recovered) {
        Map<StopReason, Counter> endings = recovered ? recoveries : failures;
        Counter known = endings.get(reason);
        return known != null
                ? known
                : endings.computeIfAbsent(reason, missing -> calls(RetryOutcome.of(missing, recovered), missing));
    }

    /** The counter of calls that were kept as dead letters; made at zero. */
    Counter stored() {
        Counter known = stored;
        if (known == null) {
            known = Counter.builder(RetryMeterDocumentation.DEAD_LETTERS_STORED.getName())
                    .description(RetryMeterDocumentation.DEAD_LETTERS_STORED.getDescription())
                    .tags(tags)
                    .register(registry);
            stored = known;
        }
        return known;
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

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.StopReason;
import dev.retryon.spring.internal.observe.RetryMeterDocumentation.TagKey;
import dev.retryon.spring.internal.policy.CallCounters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The meters of one name. A meter is registered when it is first requested. Thread-safe. */
final class NamedMeters {

    private final MeterRegistry registry;

    private final Tags tags;

    private final Timer delay;

    private final Counter successesAfterRetry;

    private final Map<StopReason, Counter> failures = new ConcurrentHashMap<>();

    private final Map<StopReason, Counter> recoveries = new ConcurrentHashMap<>();

    private final Map<String, Counter> retries = new ConcurrentHashMap<>();

    NamedMeters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
        this.delay = RetryMeterDocumentation.DELAY.timer(registry, tags);
        this.successesAfterRetry = calls(RetryOutcome.SUCCESS_AFTER_RETRY, null);
        // Any call can end in these ways.
        ending(StopReason.EXHAUSTED, false);
        ending(StopReason.NOT_RETRYABLE, false);
    }

    /** Registers the meters that count without events. */
    void observe(CallCounters counters) {
        RetryMeterDocumentation.CALLS.counter(
                registry, callTags(RetryOutcome.SUCCESS, null), counters.successes(), LongAdder::sum);
        RetryMeterDocumentation.WAITING.gauge(registry, tags, counters.waiting(), LongAdder::sum);
    }

    void retried(String exception, Duration wait) {
        retries(exception).increment();
        delay.record(wait);
    }

    Counter successesAfterRetry() {
        return successesAfterRetry;
    }

    Counter retries(String exception) {
        return counter(
                retries,
                exception,
                missing -> RetryMeterDocumentation.RETRIES.counter(registry, tags.and(TagKey.EXCEPTION.tag(missing))));
    }

    Counter ending(StopReason reason, boolean recovered) {
        return counter(
                recovered ? recoveries : failures,
                reason,
                missing -> calls(RetryOutcome.of(missing, recovered), missing));
    }

    /** Avoids the lock that {@link Map#computeIfAbsent} can need, if the counter exists. */
    private static <K> Counter counter(Map<K, Counter> counters, K key, Function<K, Counter> register) {
        Counter known = counters.get(key);
        return known != null ? known : counters.computeIfAbsent(key, register);
    }

    Counter stored() {
        return RetryMeterDocumentation.DEAD_LETTERS_STORED.counter(registry, tags);
    }

    private Counter calls(RetryOutcome outcome, @Nullable StopReason reason) {
        return RetryMeterDocumentation.CALLS.counter(registry, callTags(outcome, reason));
    }

    private Tags callTags(RetryOutcome outcome, @Nullable StopReason reason) {
        return tags.and(TagKey.OUTCOME.tag(outcome.tag())).and(TagKey.REASON.tag(RetryOutcome.tag(reason)));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.internal.observe.RetryMeterDocumentation.TagKey;
import dev.retryon.spring.internal.policy.CallCounters;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.NamedError;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counts retried calls. The meters of every known retry and budget are registered when all beans exist, so that dashboards show
 * zeros. If a registry fails, the failure is counted and logged once, and calls continue.
 */
public final class RetryMeters implements RetryListener, SmartInitializingSingleton {

    private final LookUp<Optional<MeterRegistry>> registry;

    private final NamedRetries retries;

    private final ObjectProvider<RetryBudgets> budgets;

    private final ExtensionErrors errors;

    private final TagValues names;

    private final TagValues exceptions;

    private final Map<String, NamedMeters> meters = new ConcurrentHashMap<>();

    /** Registers meters, if there is a unique registry. Beans are looked up after start-up, or at the first event. */
    public RetryMeters(
            ObjectProvider<MeterRegistry> registry,
            NamedRetries retries,
            ObjectProvider<RetryBudgets> budgets,
            ExtensionErrors errors) {
        this.registry = new LookUp<>(() -> Optional.ofNullable(registry.getIfUnique()));
        this.retries = retries;
        this.names = retries.names();
        this.exceptions = names.ofTag(TagKey.EXCEPTION.asString());
        exceptions.declare(NamedError.RESULT);
        this.budgets = budgets;
        this.errors = errors;
    }

    @Override
    public void afterSingletonsInstantiated() {
        MeterRegistry known = registry.get().orElse(null);
        if (known == null) {
            return;
        }
        retries.observeCounters(
                (name, counters) -> guarded(name, () -> meters(known, name).observe(counters)));
        RetryBudgets all = budgets.getIfAvailable();
        if (all != null) {
            all.observe((name, budget) -> guarded(name, () -> meter(known, name, budget)));
        }
        errors.observe((kind, name, count) -> RetryMeterDocumentation.EXTENSION_ERRORS.counter(
                known,
                TagKey.NAME.tag(name).and(TagKey.KIND.tag(kind.name().toLowerCase(Locale.ROOT))),
                count,
                LongAdder::sum));
    }

    private void guarded(String name, Runnable action) {
        try {
            action.run();
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.METER,
                    name,
                    "the meter registry failed, so meters are missing; check its configuration",
                    ex);
        }
    }

    @Override
    public void onEvent(RetryEvent event) {
        MeterRegistry known = registry.get().orElse(null);
        if (known != null) {
            guarded(event.name(), () -> count(known, event));
        }
    }

    private void count(MeterRegistry known, RetryEvent event) {
        NamedMeters named = meters(known, event.name());
        if (event instanceof RetryScheduled retry) {
            named.retried(exceptions.of(NamedError.of(event.error())), retry.delay());
        } else if (event instanceof RetryFailed failed) {
            named.ending(failed.reason(), failed.recovered()).increment();
        } else if (event instanceof DeadLettered) {
            named.stored().increment();
        } else {
            named.successesAfterRetry.increment();
        }
    }

    private static void meter(MeterRegistry known, String name, RetryBudget budget) {
        Tags tags = TagKey.BUDGET.tag(name);
        RetryMeterDocumentation.BUDGET_TOKENS.gauge(known, tags, budget, RetryBudget::tokens);
        RetryMeterDocumentation.BUDGET_DENIED.counter(known, tags, budget, RetryBudget::denied);
    }

    private NamedMeters meters(MeterRegistry known, String name) {
        NamedMeters existing = meters.get(name);
        if (existing != null) {
            return existing;
        }
        String shown = names.of(name);
        if (!shown.equals(name)) {
            return meters(known, shown);
        }
        // No lock, because the registry's filters can need beans. The registry returns the same meters to two threads.
        NamedMeters made = new NamedMeters(known, TagKey.NAME.tag(name));
        NamedMeters other = meters.putIfAbsent(name, made);
        return other != null ? other : made;
    }

    /** The meters of one name. A meter is registered when it is first requested. Thread-safe. */
    private static final class NamedMeters {

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
            counter(
                            retries,
                            exception,
                            missing -> RetryMeterDocumentation.RETRIES.counter(
                                    registry, tags.and(TagKey.EXCEPTION.tag(missing))))
                    .increment();
            delay.record(wait);
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
}

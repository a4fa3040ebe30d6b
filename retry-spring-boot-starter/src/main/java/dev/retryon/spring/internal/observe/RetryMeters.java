/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.ExhaustionAction;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryScheduled;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.RetryTagsContributor;
import dev.retryon.spring.internal.policy.CallCounters;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.LookUp;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Meters retried calls, as {@link RetryMeterDocumentation} says. The meters of every known retry and budget are made when
 * all beans are there, so that dashboards show zeros; an event only finds and counts. If there are more than {@value
 * #AT_ONCE} methods, another thread registers them, so that the start does not take longer. A registry that fails is
 * counted and logged once, and changes nothing for calls.
 */
final class RetryMeters implements TelemetryListener, SmartInitializingSingleton {

    /** The number of methods whose meters are registered before the start continues. */
    private static final int AT_ONCE = 100;

    private final LookUp<Optional<MeterRegistry>> registry;

    private final LookUp<List<RetryTagsContributor>> contributors;

    private final RetriedMethods methods;

    private final ObjectProvider<RetryBudgets> budgets;

    private final ExtensionErrors faults;

    private final int atOnce;

    private final Executor background;

    private final ExceptionNames exceptions = new ExceptionNames();

    private final Map<String, NamedMeters> meters = new ConcurrentHashMap<>();

    /**
     * Creates the meters. Nothing is looked up before the start is complete, or before the first event.
     *
     * @param registry the registry; nothing is metered without a unique one
     * @param contributors sources of further tags
     * @param methods the retried methods
     * @param budgets the retry budgets
     * @param faults what goes wrong at run time, which is metered too
     */
    RetryMeters(
            ObjectProvider<MeterRegistry> registry,
            ObjectProvider<RetryTagsContributor> contributors,
            RetriedMethods methods,
            ObjectProvider<RetryBudgets> budgets,
            ExtensionErrors faults) {
        this(registry, contributors, methods, budgets, faults, AT_ONCE, RetryMeters::startThread);
    }

    RetryMeters(
            ObjectProvider<MeterRegistry> registry,
            ObjectProvider<RetryTagsContributor> contributors,
            RetriedMethods methods,
            ObjectProvider<RetryBudgets> budgets,
            ExtensionErrors faults,
            int atOnce,
            Executor background) {
        this.registry = new LookUp<>(() -> Optional.ofNullable(registry.getIfUnique()));
        this.contributors = new LookUp<>(() -> contributors.orderedStream().toList());
        this.methods = methods;
        this.budgets = budgets;
        this.faults = faults;
        this.atOnce = atOnce;
        this.background = background;
    }

    private static void startThread(Runnable task) {
        Thread thread = new Thread(task, "retryon-meters");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public ExtensionErrors.Kind faultKind() {
        return ExtensionErrors.Kind.METER;
    }

    @Override
    public void afterSingletonsInstantiated() {
        MeterRegistry known = registry.get().orElse(null);
        if (known == null) {
            return;
        }
        // Beans are looked up here: another thread must not make any while the application starts.
        contributors.get();
        RetryBudgets all = budgets.getIfAvailable();
        if (methods.all().size() <= atOnce) {
            registerKnown(known, all);
        } else {
            background.execute(() -> registerKnown(known, all));
        }
    }

    private void registerKnown(MeterRegistry known, @Nullable RetryBudgets all) {
        methods.observe(method -> guarded(method.name(), () -> meter(known, method)));
        methods.standalone().observe(retry -> guarded(retry.name(), () -> meter(known, retry)));
        methods.counters().observe((name, counters) -> guarded(name, () -> meter(known, name, counters)));
        if (all != null) {
            all.observe((name, budget) -> guarded(name, () -> meter(known, name, budget)));
        }
        faults.observe((kind, name, count) -> meter(known, kind, name, count));
    }

    private void guarded(String name, Runnable registration) {
        try {
            registration.run();
        } catch (Throwable ex) {
            faults.report(
                    faultKind(), name, "the meter registry failed, so meters are missing; check its configuration", ex);
        }
    }

    @Override
    public void onEvent(RetryEvent event) {
        MeterRegistry known = registry.get().orElse(null);
        if (known == null) {
            return;
        }
        NamedMeters named = meters(known, event.name());
        if (event instanceof RetryScheduled retry) {
            named.retried(exceptions.tag(event.error()), retry.delay());
        } else if (event instanceof RetryFailed failed) {
            named.failed(failed.reason(), failed.recovered());
        } else if (event instanceof DeadLettered) {
            named.stored().increment();
        } else {
            named.succeeded();
        }
    }

    private void meter(MeterRegistry known, RetriedMethod method) {
        NamedMeters named = meters(known, method.name());
        meter(named, method.policy(), method.settings().byAttribute());
        KnownEndings.reasons(method).forEach(reason -> named.ending(reason, false));
        KnownEndings.recoverableReasons(method).forEach(reason -> named.ending(reason, true));
    }

    private void meter(MeterRegistry known, StandaloneRetry retry) {
        NamedMeters named = meters(known, retry.name());
        meter(named, retry.policy(), retry.settings());
        KnownEndings.reasons(retry).forEach(reason -> named.ending(reason, false));
    }

    private void meter(NamedMeters named, RetryPolicy policy, Map<String, ?> settings) {
        KnownEndings.retriedErrors(policy).forEach(type -> named.retries(exceptions.tag(type)));
        if (KnownEndings.retriesValues(settings)) {
            named.retries(ExceptionNames.RESULT);
        }
        if (policy.onExhaustion() == ExhaustionAction.DEAD_LETTER) {
            named.stored();
        }
    }

    private void meter(MeterRegistry known, String name, CallCounters counters) {
        meters(known, name).observe(counters);
    }

    private static void meter(MeterRegistry known, String name, RetryBudget budget) {
        Tags tags = Tags.of(RetryMeterDocumentation.TagKey.BUDGET.asString(), name);
        Gauge.builder(RetryMeterDocumentation.BUDGET_TOKENS.getName(), budget, RetryBudget::tokens)
                .description(RetryMeterDocumentation.BUDGET_TOKENS.getDescription())
                .tags(tags)
                .register(known);
        FunctionCounter.builder(RetryMeterDocumentation.BUDGET_DENIED.getName(), budget, RetryBudget::denied)
                .description(RetryMeterDocumentation.BUDGET_DENIED.getDescription())
                .tags(tags)
                .register(known);
    }

    private static void meter(MeterRegistry known, ExtensionErrors.Kind kind, String name, LongAdder count) {
        FunctionCounter.builder(RetryMeterDocumentation.FAULTS.getName(), count, LongAdder::sum)
                .description(RetryMeterDocumentation.FAULTS.getDescription())
                .tags(
                        RetryMeterDocumentation.TagKey.NAME.asString(),
                        name,
                        RetryMeterDocumentation.TagKey.KIND.asString(),
                        kind.tag())
                .register(known);
    }

    private NamedMeters meters(MeterRegistry known, String name) {
        NamedMeters existing = meters.get(name);
        if (existing != null) {
            return existing;
        }
        // Tags may need beans. The registry gives two threads the same meters.
        NamedMeters made = new NamedMeters(known, tags(name));
        NamedMeters other = meters.putIfAbsent(name, made);
        return other != null ? other : made;
    }

    private Tags tags(String name) {
        Tags tags = Tags.empty();
        for (RetryTagsContributor contributor : contributors.get()) {
            try {
                tags = tags.and(contributor.tags(name));
            } catch (Throwable ex) {
                String type = contributor.getClass().getName();
                faults.report(
                        ExtensionErrors.Kind.TAGS,
                        name,
                        type + " failed and adds no tags to the meters of this name; fix the contributor",
                        ex);
            }
        }
        return tags.and(RetryMeterDocumentation.TagKey.NAME.asString(), name);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.ExhaustionAction;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.RetryTagsContributor;
import dev.retryon.spring.internal.observe.RetryMeterDocumentation.TagKey;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.internal.settings.LookUp;
import dev.retryon.spring.internal.settings.Setting;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counts retried calls in the meters of {@link RetryMeterDocumentation}. The meters of every known retry and budget are
 * registered when all beans exist, so that dashboards show zeros. If there are more than {@value #AT_ONCE} methods,
 * another thread registers them, so that the start does not take longer. If a registry fails, the failure is counted and
 * logged once, and calls continue.
 */
final class RetryMeters implements TelemetryListener, SmartInitializingSingleton {

    static final int AT_ONCE = 100;

    private final LookUp<Optional<MeterRegistry>> registry;

    private final LookUp<List<RetryTagsContributor>> contributors;

    private final RetriedMethods methods;

    private final ObjectProvider<RetryBudgets> budgets;

    private final ExtensionErrors faults;

    private final int atOnce;

    private final Executor background;

    private final TagValues names;

    private final ExceptionNames exceptions;

    private final Map<String, NamedMeters> meters = new ConcurrentHashMap<>();

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
        this.names = methods.names();
        this.exceptions = new ExceptionNames(names.ofTag(TagKey.EXCEPTION.asString()));
        this.budgets = budgets;
        this.faults = faults;
        this.atOnce = atOnce;
        this.background = background;
    }

    static void startThread(Runnable task) {
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
        // Beans are looked up here: another thread must not create any while the application starts.
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
        methods.counters()
                .observe((name, counters) ->
                        guarded(name, () -> meters(known, name).observe(counters)));
        if (all != null) {
            all.observe((name, budget) -> guarded(name, () -> meter(known, name, budget)));
        }
        faults.observe((kind, name, count) -> RetryMeterDocumentation.EXTENSION_ERRORS.counter(
                known,
                TagKey.NAME.tag(name).and(TagKey.KIND.tag(kind.name().toLowerCase(Locale.ROOT))),
                count,
                LongAdder::sum));
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
            named.ending(failed.reason(), failed.recovered()).increment();
        } else if (event instanceof DeadLettered) {
            named.stored().increment();
        } else {
            named.successesAfterRetry().increment();
        }
    }

    private void meter(MeterRegistry known, RetriedMethod method) {
        NamedMeters named = meters(known, method.name());
        meter(named, method.policy(), method.settings().byAttribute(), KnownEndings.reasons(method));
        KnownEndings.recoverableReasons(method).forEach(reason -> named.ending(reason, true));
    }

    private void meter(MeterRegistry known, StandaloneRetry retry) {
        NamedMeters named = meters(known, retry.name());
        meter(named, retry.policy(), retry.settings(), KnownEndings.reasons(retry.policy(), retry.settings()));
    }

    private void meter(NamedMeters named, RetryPolicy policy, Map<String, ?> settings, Set<StopReason> endings) {
        endings.forEach(reason -> named.ending(reason, false));
        KnownEndings.retriedErrors(policy).forEach(type -> named.retries(exceptions.tag(type)));
        if (settings.containsKey(Setting.RETRY_IF.attribute())) {
            named.retries(ExceptionNames.RESULT);
        }
        if (policy.onExhaustion() == ExhaustionAction.DEAD_LETTER) {
            named.stored();
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
        // No lock, because tags may need beans. The registry gives two threads the same meters.
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
                        ExtensionErrors.Kind.METER,
                        name,
                        type + " failed and adds no tags to the meters of this name; fix the contributor",
                        ex);
            }
        }
        return tags.and(TagKey.NAME.tag(name));
    }
}

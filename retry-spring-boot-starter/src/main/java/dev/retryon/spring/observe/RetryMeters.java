/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.method.RetriedMethods;
import dev.retryon.spring.method.RetryBudgets;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.function.SingletonSupplier;

/**
 * Meters retried calls, as {@link RetryMeterDocumentation} says. The meters of every known method and budget are made at
 * start-up, so that dashboards show zeros; an event only finds and counts.
 */
public class RetryMeters implements RetryListener, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger("dev.retryon");

    private final SingletonSupplier<Optional<MeterRegistry>> registry;

    private final ObjectProvider<RetryTagsContributor> contributors;

    private final RetriedMethods methods;

    private final ObjectProvider<RetryBudgets> budgets;

    private final ExceptionNames exceptions = new ExceptionNames();

    private final Map<String, MetersOfName> meters = new ConcurrentHashMap<>();

    /**
     * Creates the meters. Nothing is looked up before the start is complete, or before the first event.
     *
     * @param registry the registry; nothing is metered without a unique one
     * @param contributors sources of further tags
     * @param methods the retried methods
     * @param budgets the retry budgets
     */
    public RetryMeters(
            ObjectProvider<MeterRegistry> registry,
            ObjectProvider<RetryTagsContributor> contributors,
            RetriedMethods methods,
            ObjectProvider<RetryBudgets> budgets) {
        this.registry = SingletonSupplier.of(() -> Optional.ofNullable(registry.getIfUnique()));
        this.contributors = contributors;
        this.methods = methods;
        this.budgets = budgets;
    }

    @Override
    public void afterSingletonsInstantiated() {
        MeterRegistry known = registry.obtain().orElse(null);
        if (known != null) {
            methods.observe(method -> meter(known, method));
            methods.observeCounters((name, counters) -> meters(known, name).observe(counters));
            budgets.ifAvailable(all -> all.observe((name, budget) -> meter(known, name, budget)));
        }
    }

    @Override
    public void onEvent(RetryEvent event) {
        MeterRegistry known = registry.obtain().orElse(null);
        if (known == null) {
            return;
        }
        MetersOfName ofName = meters(known, event.name());
        if (event instanceof RetryScheduled retry) {
            ofName.retried(exceptions.tag(event.error()), retry.delay());
        } else if (event instanceof RetryFailed failed) {
            ofName.failed(failed.reason(), failed.recovered());
        } else {
            ofName.succeeded();
        }
    }

    private void meter(MeterRegistry known, RetriedMethod method) {
        MetersOfName ofName = meters(known, method.name());
        method.policy().exceptions().forEach(type -> ofName.retries(exceptions.tag(type)));
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

    private MetersOfName meters(MeterRegistry known, String name) {
        MetersOfName existing = meters.get(name);
        return existing != null
                ? existing
                : meters.computeIfAbsent(name, missing -> new MetersOfName(known, tags(missing)));
    }

    private Tags tags(String name) {
        Tags tags = Tags.empty();
        for (RetryTagsContributor contributor : contributors.orderedStream().toList()) {
            try {
                tags = tags.and(contributor.tags(name));
            } catch (RuntimeException ex) {
                log.warn("{} failed for '{}' and adds no tags to its meters", contributor, name, ex);
            }
        }
        return tags.and(RetryMeterDocumentation.TagKey.NAME.asString(), name);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.Inherit;
import dev.retryon.spring.internal.actuate.RetriedDescription.RetriedMethodDescription;
import dev.retryon.spring.internal.actuate.RetriedDescription.SettingDescription;
import dev.retryon.spring.internal.actuate.RetriedDescription.StandaloneRetryDescription;
import dev.retryon.spring.internal.actuate.RetriedDescription.Wait;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.NamedRetry;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RecentCounts;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.SettingsChanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The retried methods, their policies, the layer that set each value, and their results. Shows the classes of errors, never their
 * messages. Shows literals in expressions, which can be resolved secrets, only if the application allows it.
 */
@Endpoint(id = "retryon", defaultAccess = Access.READ_ONLY)
public class RetryOnEndpoint implements RetryListener, RecentCounts.Counters {

    private final NamedRetries retries;

    private final RetryStatistics statistics;

    private final Supplier<ConfiguredLayers> configured;

    private final Show showValues;

    private final Map<String, RetryBudget> budgets = new ConcurrentSkipListMap<>();

    public RetryOnEndpoint(
            NamedRetries retries,
            boolean successesCounted,
            Supplier<ConfiguredLayers> configured,
            RetryBudgets budgets,
            Show showValues) {
        this.retries = retries;
        this.statistics = new RetryStatistics(retries, successesCounted);
        this.configured = configured;
        this.showValues = showValues;
        budgets.observe(this.budgets::put);
    }

    @Override
    public void onEvent(RetryEvent event) {
        statistics.count(event);
    }

    @ReadOperation
    public Retries retries() {
        return retries(showValues.isShown(true), null);
    }

    Retries retries(boolean withLiterals, @Nullable SettingsChanges changes) {
        List<RetriedDescription> retried = statistics.names().stream()
                .map(name -> describe(name, withLiterals))
                .toList();
        List<Policy> policies =
                policies().stream().map(name -> policy(name, withLiterals)).toList();
        return new Retries(
                retried,
                policies,
                budgets(),
                changes == null ? null : changes.all(),
                changes == null ? null : changes.scopes());
    }

    List<Budget> budgets() {
        return budgets.entrySet().stream()
                .map(entry -> new Budget(
                        entry.getKey(),
                        entry.getValue().tokens(),
                        entry.getValue().denied(),
                        entry.getValue().keys()))
                .toList();
    }

    List<String> policies() {
        return configured.get().policies().keySet().stream().sorted().toList();
    }

    @Override
    public Map<Object, Long> counters() {
        return statistics.counters();
    }

    @Override
    public Map<String, RecentCounts.Totals> totals() {
        Map<String, RecentCounts.Totals> totals = new HashMap<>();
        for (String name : statistics.names()) {
            RetryStatistics.Counts counts = statistics.of(name);
            totals.put(name, new RecentCounts.Totals(counts.retries(), counts.failures(), counts.waiting()));
        }
        return totals;
    }

    RetryStatistics statistics() {
        return statistics;
    }

    @ReadOperation
    public @Nullable RetriedDescription retried(@Selector String name) {
        return retried(name, showValues.isShown(true));
    }

    @Nullable RetriedDescription retried(String name, boolean withLiterals) {
        return statistics.names().contains(name) ? describe(name, withLiterals) : null;
    }

    private RetriedDescription describe(String name, boolean withLiterals) {
        RetryStatistics.Counts counts = statistics.of(name);
        return new RetriedDescription(
                name,
                counts.calls(),
                counts.retries(),
                counts.waiting(),
                counts.lastFailure(),
                retries.methods(name).stream()
                        .map(method -> describe(method, withLiterals))
                        .toList(),
                describe(retries.client(name), withLiterals),
                describe(retries.registered(name), withLiterals));
    }

    private static @Nullable StandaloneRetryDescription describe(
            @Nullable StandaloneRetry retry, boolean withLiterals) {
        return retry == null
                ? null
                : new StandaloneRetryDescription(
                        shown(retry, withLiterals),
                        schedule(retry.policy()),
                        retry.policy().dependsOnCall());
    }

    private static Map<String, SettingDescription> shown(NamedRetry retry, boolean withLiterals) {
        RetryPolicy policy = retry.policy();
        return ShownSettings.withRules(
                ShownSettings.of(retry.shownSettings(), policy.maxAttempts(), withLiterals), policy);
    }

    private static List<Wait> schedule(RetryPolicy policy) {
        List<Wait> schedule = new ArrayList<>();
        for (RetryPolicy.DelayRange range : policy.schedule(ShownSettings.SCHEDULED)) {
            schedule.add(new Wait(
                    schedule.size() + 1,
                    range.shortest().toString(),
                    range.longest().toString()));
        }
        return schedule;
    }

    private static RetriedMethodDescription describe(MethodRetry method, boolean withLiterals) {
        Map<String, SettingDescription> settings = shown(method, withLiterals);
        if (!withLiterals) {
            settings.computeIfPresent(
                    Setting.NON_RETRYABLE_ERRORS.attribute(),
                    (attribute, shown) -> ShownSettings.withPlaceholders(shown, method.placeholders()));
        }
        SettingSource barrier = method.barrier();
        if (barrier != null) {
            settings.put(
                    "inherit", new SettingDescription(ShownSettings.plain(Inherit.NONE), List.of(barrier.describe())));
        }
        return new RetriedMethodDescription(
                method.beanClass().getName(),
                method.signature(),
                settings,
                schedule(method.policy()),
                method.policy().dependsOnCall());
    }

    private Policy policy(String name, boolean withLiterals) {
        ConfiguredLayers now = configured.get();
        EffectiveSettings settings =
                EffectiveSettings.defaults().with(now.defaults()).with(now.policy(name));
        return new Policy(name, ShownSettings.of(settings.byAttribute(), now.maxAttemptsLimit(), withLiterals));
    }

    /**
     * All retries, sorted by name.
     *
     * @param changes changes by operators, the weakest first; {@code null} unless the request came over the web
     * @param scopes {@code node}, and {@code all} if nodes share a database; {@code null} unless the request came over the web
     */
    public record Retries(
            List<RetriedDescription> retries,
            List<Policy> policies,
            List<Budget> budgets,
            @Nullable List<SettingsChanges.Change> changes,
            @Nullable List<String> scopes)
            implements OperationResponseBody {}

    /** A policy under {@code retryon.policies}, with the settings of calls without other settings, by attribute. */
    public record Policy(String name, Map<String, SettingDescription> settings) {}

    /**
     * A retry budget.
     *
     * @param name the name under {@code retryon.budgets}, or the name of the method that owns the budget
     * @param tokens the retries that the budget currently allows; with keys, the number for the key with the fewest tokens
     */
    public record Budget(String name, double tokens, long denied, int keys) {}
}

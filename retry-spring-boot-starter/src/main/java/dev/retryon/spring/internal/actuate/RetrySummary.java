/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.internal.actuate.RetryTotals.Counter;
import dev.retryon.spring.internal.actuate.RetryTotals.Kind;
import dev.retryon.spring.internal.observe.RetryOutcome;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The state of all retries, without settings. It is small enough to be requested every few seconds.
 *
 * @param at when this was so
 * @param interval of the histories, as an ISO-8601 duration; {@code null} if none is kept, because the dashboard is
 *     not exposed
 * @param names what is retried, by name, sorted
 * @param causes why attempts failed, the most frequent of the last 15 minutes first
 * @param budgets the retry budgets that are in use, by name, sorted
 * @param policies the policies of {@code retryon.policies}, by name, sorted
 * @param changes what operators have changed while the application runs, the weakest first
 * @param scopes what a change may be made for: {@code node}, and {@code all} if nodes share a database
 */
record RetrySummary(
        Instant at,
        @Nullable String interval,
        List<Name> names,
        List<Cause> causes,
        List<RetryOnEndpoint.Budget> budgets,
        List<String> policies,
        List<SettingsChanges.Change> changes,
        List<String> scopes)
        implements OperationResponseBody {

    static RetrySummary of(RetryOnEndpoint endpoint, @Nullable RecentCounts history, SettingsChanges changes) {
        RetryTotals totals = endpoint.totals();
        List<Cause> causes = totals.causes().entrySet().stream()
                .map(entry -> new Cause(
                        entry.getKey().name(),
                        entry.getKey().exception(),
                        entry.getKey().reason() == null
                                ? null
                                : RetryOutcome.tag(entry.getKey().reason()),
                        entry.getValue(),
                        history == null
                                ? null
                                : history.of(entry.getKey(), entry.getValue()).stream()
                                        .mapToLong(Integer::longValue)
                                        .sum()))
                .sorted(Comparator.comparingLong(Cause::weight).reversed())
                .toList();
        return new RetrySummary(
                Instant.now(),
                history == null ? null : history.interval().toString(),
                totals.names().stream()
                        .map(name -> Name.of(name, totals.of(name), history))
                        .toList(),
                causes,
                endpoint.budgets(),
                endpoint.policies(),
                changes.all(),
                changes.scopes());
    }

    /**
     * The state of the retries under one name. Counts begin at the start of the application.
     *
     * @param name the name
     * @param calls calls that have ended
     * @param complete whether calls that succeeded at once are among them; they are not if {@code
     *     retryon.metrics.enabled} is {@code false}
     * @param retries retries
     * @param failures calls that failed, recovered ones too
     * @param waiting calls that wait for their next attempt at this moment
     * @param lastFailure the latest call that failed; {@code null} if none did
     * @param recent the last 15 minutes; {@code null} if no history is kept
     */
    public record Name(
            String name,
            long calls,
            boolean complete,
            long retries,
            long failures,
            long waiting,
            RetriedDescription.@Nullable LastFailure lastFailure,
            @Nullable Recent recent) {

        static Name of(String name, RetryTotals.OfName totals, @Nullable RecentCounts history) {
            return new Name(
                    name,
                    totals.calls(),
                    totals.successes() != null,
                    totals.retries(),
                    totals.failures(),
                    totals.waiting(),
                    totals.lastFailure(),
                    history == null
                            ? null
                            : new Recent(
                                    history.of(new Counter(name, Kind.CALLS), totals.calls()),
                                    history.of(new Counter(name, Kind.RETRIES), totals.retries()),
                                    history.of(new Counter(name, Kind.FAILURES), totals.failures())));
        }
    }

    /**
     * The number of occurrences in each interval, the current one last. Lists begin with the first interval in which
     * it did occur, so one that is empty says that it has not.
     *
     * @param calls calls that ended
     * @param retries retries
     * @param failures calls that failed
     */
    public record Recent(List<Integer> calls, List<Integer> retries, List<Integer> failures) {}

    /**
     * Why attempts failed.
     *
     * @param name the name of the retry; {@code null} beyond the first 500 causes
     * @param exception the class of the error; {@code null} for returned values, {@code others} beyond the first 500
     *     causes
     * @param reason why the calls were given up; {@code null} if they were retried
     * @param total how often since the start of the application
     * @param recent how often in the last 15 minutes; {@code null} if no history is kept
     */
    public record Cause(
            @Nullable String name,
            @Nullable String exception,
            @Nullable String reason,
            long total,
            @Nullable Long recent) {

        private long weight() {
            return recent == null ? total : recent;
        }
    }
}

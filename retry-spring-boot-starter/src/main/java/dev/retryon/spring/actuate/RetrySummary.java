/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.spring.observe.RetryOutcome;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * How everything that is retried goes, without settings: small enough to be asked for every few seconds.
 *
 * @param at when this was so
 * @param interval of the histories, as an ISO-8601 duration; {@code null} if none is kept, because the dashboard is not exposed
 * @param names what is retried, by name, sorted
 * @param causes why attempts failed, the most frequent of the last 15 minutes first
 * @param budgets the retry budgets that are in use, by name, sorted
 * @param policies the policies of {@code retryon.policies}, by name, sorted
 * @param changes what operators have changed while the application runs, the weakest first
 * @param scopes what a change may be made for: {@code node}, and {@code all} if nodes share a database
 * @since 0.1.0
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

    static RetrySummary of(RetryOnEndpoint endpoint, @Nullable RetryHistory history, SettingsChanges changes) {
        RetryTotals totals = endpoint.totals();
        List<Cause> causes = totals.causes().entrySet().stream()
                .map(entry -> new Cause(
                        entry.getKey().name(),
                        entry.getKey().exception(),
                        entry.getKey().reason() == null
                                ? null
                                : RetryOutcome.tag(entry.getKey().reason()),
                        entry.getValue(),
                        history == null ? null : history.recently(entry.getKey(), entry.getValue())))
                .sorted(Comparator.comparingLong(Cause::weight).reversed())
                .toList();
        return new RetrySummary(
                Instant.now(),
                history == null ? null : RetryHistory.INTERVAL.toString(),
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
     * How what has one name goes. Counts begin at the start of the application.
     *
     * @param name the name
     * @param calls calls that have ended
     * @param complete whether calls that succeeded at once are among them; they are not if {@code retryon.metrics.enabled} is
     *     {@code false}
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

        static Name of(String name, RetryTotals.OfName totals, @Nullable RetryHistory history) {
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
                                    history.calls(name, totals.calls()),
                                    history.retries(name, totals.retries()),
                                    history.failures(name, totals.failures())));
        }
    }

    /**
     * How often something occurred in each interval, the current one last. Lists begin with the first interval in which it did
     * occur, so one that is empty says that it has not.
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
     * @param exception the class of the error; {@code null} for returned values, {@code others} beyond the first 500 causes
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

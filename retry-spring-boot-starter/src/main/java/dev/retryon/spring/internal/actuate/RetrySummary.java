// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.internal.actuate.RetryStatistics.Counter;
import dev.retryon.spring.internal.actuate.RetryStatistics.Counts;
import dev.retryon.spring.internal.actuate.RetryStatistics.Kind;
import dev.retryon.spring.internal.observe.RetryOutcome;
import dev.retryon.spring.module.NodeName;
import dev.retryon.spring.module.RecentCounts;
import dev.retryon.spring.module.SettingsChanges;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The state of all retries, without settings. It is small enough to be requested every few seconds.
 *
 * @param node the process that answers; counts and histories include only this process
 * @param interval the interval of the histories, as an ISO-8601 duration; {@code null} if no module keeps histories
 * @param causes why attempts failed, the most frequent of the last 15 minutes first
 * @param changes changes by operators, the weakest first
 */
record RetrySummary(
        Instant at,
        String node,
        @Nullable String interval,
        List<Name> names,
        List<Cause> causes,
        List<RetryOnEndpoint.Budget> budgets,
        List<String> policies,
        List<SettingsChanges.Change> changes,
        List<String> scopes)
        implements OperationResponseBody {

    static RetrySummary of(RetryOnEndpoint endpoint, @Nullable RecentCounts history, SettingsChanges changes) {
        RetryStatistics statistics = endpoint.statistics();
        return new RetrySummary(
                Instant.now(),
                NodeName.get(),
                history == null ? null : history.interval().toString(),
                statistics.names().stream()
                        .map(name -> Name.of(name, statistics.of(name), history))
                        .toList(),
                statistics.causes().entrySet().stream()
                        .map(entry -> Cause.of(entry.getKey(), entry.getValue(), history))
                        .sorted(Comparator.comparingLong(Cause::weight).reversed())
                        .toList(),
                endpoint.budgets(),
                endpoint.policies(),
                changes.all(),
                changes.scopes());
    }

    /**
     * The state of the retries under one name. Counts begin when the application starts.
     *
     * @param complete whether {@code calls} includes calls that succeeded immediately, which are missing if
     *     {@code retryon.metrics.enabled} is {@code false}
     * @param failures calls that failed, including recovered ones
     * @param successesSinceFailure calls that succeeded after the last failure, as far as they are counted
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
            long successesSinceFailure,
            @Nullable Recent recent) {

        static Name of(String name, Counts counts, @Nullable RecentCounts history) {
            return new Name(
                    name,
                    counts.ended(),
                    counts.calls().success() != null,
                    counts.retries(),
                    counts.failures(),
                    counts.waiting(),
                    counts.lastFailure(),
                    counts.successesSinceFailure(),
                    history == null
                            ? null
                            : new Recent(
                                    history.of(new Counter(name, Kind.CALLS), counts.ended()),
                                    history.of(new Counter(name, Kind.RETRIES), counts.retries()),
                                    history.of(new Counter(name, Kind.FAILURES), counts.failures())));
        }
    }

    /** The number of occurrences in each interval, from the interval of the first occurrence to the current one. */
    public record Recent(List<Integer> calls, List<Integer> retries, List<Integer> failures) {}

    /**
     * Why attempts failed; see {@link RetryStatistics.Cause}.
     *
     * @param total how often since the application started
     * @param recent how often in the last 15 minutes; {@code null} if no history is kept
     */
    public record Cause(
            @Nullable String name,
            @Nullable String exception,
            @Nullable String reason,
            long total,
            @Nullable Long recent) {

        static Cause of(RetryStatistics.Cause cause, long total, @Nullable RecentCounts history) {
            return new Cause(
                    cause.name(),
                    cause.exception(),
                    cause.reason() == null ? null : RetryOutcome.tag(cause.reason()),
                    total,
                    history == null
                            ? null
                            : history.of(cause, total).stream()
                                    .mapToLong(Integer::longValue)
                                    .sum());
        }

        private long weight() {
            return recent == null ? total : recent;
        }
    }
}

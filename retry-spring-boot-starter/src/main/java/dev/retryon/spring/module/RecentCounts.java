// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Records a history of {@link Counters}. A module provides the implementation as a bean. */
public interface RecentCounts {

    /** Returns the time between two values, more than zero. */
    Duration interval();

    /**
     * Returns the number of occurrences in each interval, from the first occurrence to the current interval.
     *
     * @param counter a key of {@link Counters#counters()}
     * @param total the current total
     */
    List<Integer> of(Object counter, long total);

    /** Returns the values of the last hours for all names. */
    RetryHours hours();

    /** The counters of calls in memory. */
    interface Counters {

        /** Returns the totals from which the history of each counter is recorded, as a copy with opaque keys. */
        Map<Object, Long> counters();

        /** Returns the totals by name, from which the values of the last hours are recorded. */
        Map<String, Totals> totals();
    }

    /**
     * The totals for a name.
     *
     * @param retries the number of retries since start-up
     * @param failures the number of calls that have failed since start-up, including recovered calls
     * @param waiting the number of calls that are currently waiting in memory for their next attempt
     */
    record Totals(long retries, long failures, long waiting) {}

    /**
     * The values of the last hours, by interval. The last interval is not complete. Each list begins with the first
     * value that is not zero and ends with the current interval. An empty list means that all values are zero.
     *
     * @param node the process that responds; retries, failures and calls that wait in memory are counted in this
     *     process only
     * @param interval an ISO-8601 duration; {@code null} if no module records a history
     * @param intervals the maximum number of intervals
     * @param since the time when this process began to record; {@code null} if no module records a history
     * @param latest the start of the current interval; {@code null} if no module records a history
     * @param all the sums over all names
     * @param names the names that have a value other than zero
     */
    record RetryHours(
            String node,
            @Nullable String interval,
            int intervals,
            @Nullable Instant since,
            @Nullable Instant latest,
            Hours all,
            List<Name> names)
            implements OperationResponseBody {

        public static RetryHours none() {
            Hours empty = new Hours(List.of(), List.of(), List.of(), List.of());
            return new RetryHours(NodeName.get(), null, 0, null, null, empty, List.of());
        }

        /**
         * The values for one name.
         *
         * @param hours the values by interval
         */
        public record Name(String name, Hours hours) {}

        /**
         * The values by interval.
         *
         * @param retries the number of retries
         * @param failures the number of failed calls, including recovered calls
         * @param waiting the highest number of waiting calls, in memory or stored; {@code null} if it is unknown
         *     because the store did not respond
         * @param dead the highest number of dead letters; {@code null} if it is unknown
         */
        public record Hours(
                List<Integer> retries,
                List<Integer> failures,
                List<@Nullable Integer> waiting,
                List<@Nullable Integer> dead) {

            public boolean isEmpty() {
                return retries.isEmpty() && failures.isEmpty() && waiting.isEmpty() && dead.isEmpty();
            }
        }
    }

    /**
     * Counts the stored calls of all processes for histories. The module that stores calls provides the implementation
     * as a bean.
     */
    interface StoredCounts {

        /** Reads the store, which can be slow or fail. Returns the methods with the most calls, by name. */
        Map<String, Stored> byName();

        /**
         * The numbers of a method's stored calls.
         *
         * @param waiting the number of waiting and running calls
         * @param dead the number of dead letters
         */
        record Stored(long waiting, long dead) {

            public static final Stored NONE = new Stored(0, 0);

            public Stored plus(Stored other) {
                return new Stored(waiting + other.waiting, dead + other.dead);
            }
        }
    }
}

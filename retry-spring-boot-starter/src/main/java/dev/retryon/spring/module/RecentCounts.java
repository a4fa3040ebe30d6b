// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Keeps a history of {@link Counters}. A module contributes it as a bean. */
public interface RecentCounts {

    /** The time between two values: more than zero. */
    Duration interval();

    /**
     * Returns how often something occurred in each interval, from its first occurrence to the current interval.
     *
     * @param counter a key of {@link Counters#counters()}
     * @param total the current total
     */
    List<Integer> of(Object counter, long total);

    /** The last hours of all names. */
    RetryHours hours();

    /** The counters of calls in memory. */
    interface Counters {

        /** Returns the totals from which a history of each counter is kept: a copy, with opaque keys. */
        Map<Object, Long> counters();

        /** Returns the totals of each name, from which the last hours are kept. */
        Map<String, Totals> totals();
    }

    /**
     * The totals of a name.
     *
     * @param retries the number of retries since the start
     * @param failures calls that failed since the start, recovered ones too
     * @param waiting calls whose next attempt waits in memory now
     */
    record Totals(long retries, long failures, long waiting) {}

    /**
     * The last hours in intervals, of which the last one is not complete. Each list begins at the first value that is not zero, and ends
     * with the current interval; an empty list means zeros.
     *
     * @param node the process that answers; retries, failures and calls that wait in memory are those of no other process
     * @param interval an ISO-8601 duration; {@code null} if no module keeps a history
     * @param intervals the largest number of intervals
     * @param since when this process began to record; {@code null} if no module keeps a history
     * @param latest the beginning of the current interval; {@code null} if no module keeps a history
     * @param all the sums of all names
     * @param names the names with a value that is not zero
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
         * The values of a name.
         *
         * @param hours the values
         */
        public record Name(String name, Hours hours) {}

        /**
         * The values of each interval.
         *
         * @param retries the number of retries
         * @param failures the number of calls that failed, recovered ones too
         * @param waiting the highest number of calls that waited, in memory or stored; {@code null} if it is unknown, because the store
         *     did not respond
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

    /** Counts the stored calls of all processes, for histories. The module that stores calls contributes it as a bean. */
    interface StoredCounts {

        /** Reads the store, which can take long or fail. Returns the methods with the most calls, by name. */
        Map<String, Stored> byName();

        /**
         * The stored calls of a method.
         *
         * @param waiting waiting and running calls
         * @param dead dead letters
         */
        record Stored(long waiting, long dead) {

            public static final Stored NONE = new Stored(0, 0);

            public Stored plus(Stored other) {
                return new Stored(waiting + other.waiting, dead + other.dead);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard.internal;

import dev.retryon.spring.module.NodeName;
import dev.retryon.spring.module.RecentCounts.RetryHours;
import dev.retryon.spring.module.RecentCounts.StoredCounts.Stored;
import dev.retryon.spring.module.RecentCounts.Totals;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The last 12 hours of each name in intervals of five minutes, which are aligned with the clock. It keeps
 * {@value #MAX_NAMES} names, each in {@code 4 * 144} numbers; the sums include further names. Not thread-safe.
 */
final class LongHistory {

    static final Duration INTERVAL = Duration.ofMinutes(5);

    static final int INTERVALS = 144; // 12 * 60 / 5

    static final int MAX_NAMES = 1_000;

    private static final int UNKNOWN = -1;

    private final Instant since;

    private final Series all;

    private final Map<String, Series> names = new TreeMap<>();

    /** The number of the current interval since 1970. */
    private long current;

    LongHistory(Instant since) {
        this.since = since;
        this.current = intervalOf(since);
        this.all = new Series(slot(current));
    }

    private static long intervalOf(Instant time) {
        return Math.floorDiv(time.getEpochSecond(), INTERVAL.toSeconds());
    }

    /**
     * Adds the present state to the current interval.
     *
     * @param stored the stored calls by name; {@code null} if they are unknown
     */
    void add(Instant now, Map<String, Totals> totals, @Nullable Map<String, Stored> stored) {
        turnTo(intervalOf(now));
        Totals sum = new Totals(0, 0, 0);
        for (Map.Entry<String, Totals> entry : totals.entrySet()) {
            Totals mine = entry.getValue();
            add(entry.getKey(), mine, stored == null ? null : stored.getOrDefault(entry.getKey(), Stored.NONE));
            sum = new Totals(
                    sum.retries() + mine.retries(), sum.failures() + mine.failures(), sum.waiting() + mine.waiting());
        }
        Stored storedSum = stored == null ? null : Stored.NONE;
        if (stored != null) {
            for (Map.Entry<String, Stored> entry : stored.entrySet()) {
                storedSum = entry.getValue().plus(storedSum == null ? Stored.NONE : storedSum);
                if (!totals.containsKey(entry.getKey())) {
                    add(entry.getKey(), new Totals(0, 0, 0), entry.getValue());
                }
            }
        }
        all.add(slot(current), sum, storedSum);
    }

    private void add(String name, Totals totals, @Nullable Stored stored) {
        Series series = names.get(name);
        boolean isQuiet = totals.retries() + totals.failures() + totals.waiting() == 0
                && (stored == null || stored.equals(Stored.NONE));
        if (series == null && !isQuiet && names.size() < MAX_NAMES) {
            series = new Series(slot(current));
            names.put(name, series);
        }
        if (series != null) {
            series.add(slot(current), totals, stored);
        }
    }

    /** Begins the interval that contains the given time. If the clock was set back, the current interval continues. */
    private void turnTo(long interval) {
        long first = Math.max(current + 1, interval - INTERVALS + 1);
        for (long i = first; i <= interval; i++) {
            int slot = slot(i);
            all.clear(slot);
            names.values().forEach(series -> series.clear(slot));
        }
        current = Math.max(current, interval);
    }

    private static int slot(long interval) {
        return Math.floorMod(interval, INTERVALS);
    }

    RetryHours read() {
        List<RetryHours.Name> found = new ArrayList<>();
        names.forEach((name, series) -> {
            RetryHours.Hours hours = read(series);
            if (!hours.isEmpty()) {
                found.add(new RetryHours.Name(name, hours));
            }
        });
        Instant latest = Instant.ofEpochSecond(current * INTERVAL.toSeconds());
        return new RetryHours(NodeName.get(), INTERVAL.toString(), INTERVALS, since, latest, read(all), found);
    }

    private RetryHours.Hours read(Series series) {
        return new RetryHours.Hours(
                numbers(series.retries), numbers(series.failures), values(series.waiting), values(series.dead));
    }

    private List<Integer> numbers(int[] ring) {
        List<Integer> numbers = new ArrayList<>();
        for (long i = current - INTERVALS + 1; i <= current; i++) {
            int value = ring[slot(i)];
            if (value != 0 || !numbers.isEmpty()) {
                numbers.add(value);
            }
        }
        return numbers;
    }

    private List<@Nullable Integer> values(int[] ring) {
        List<@Nullable Integer> values = new ArrayList<>();
        for (long i = current - INTERVALS + 1; i <= current; i++) {
            int value = ring[slot(i)];
            if (value != 0 || !values.isEmpty()) {
                values.add(value == UNKNOWN ? null : value);
            }
        }
        return values;
    }

    private static int limited(long value) {
        return (int) Math.max(0, Math.min(value, Integer.MAX_VALUE));
    }

    private static final class Series {

        private final int[] retries = new int[INTERVALS];

        private final int[] failures = new int[INTERVALS];

        private final int[] waiting = new int[INTERVALS];

        private final int[] dead = new int[INTERVALS];

        private Totals last = new Totals(0, 0, 0);

        Series(int slot) {
            clear(slot);
        }

        void add(int slot, Totals totals, @Nullable Stored stored) {
            retries[slot] = limited(retries[slot] + Math.max(0, totals.retries() - last.retries()));
            failures[slot] = limited(failures[slot] + Math.max(0, totals.failures() - last.failures()));
            waiting[slot] =
                    Math.max(waiting[slot], stored == null ? UNKNOWN : limited(totals.waiting() + stored.waiting()));
            dead[slot] = Math.max(dead[slot], stored == null ? UNKNOWN : limited(stored.dead()));
            last = totals;
        }

        /** Resets an interval. The number of waiting calls is not zero but unknown. */
        void clear(int slot) {
            retries[slot] = 0;
            failures[slot] = 0;
            waiting[slot] = UNKNOWN;
            dead[slot] = UNKNOWN;
        }
    }
}

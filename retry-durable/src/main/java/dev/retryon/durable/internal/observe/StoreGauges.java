/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.observe;

import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.internal.call.LaneState;
import dev.retryon.durable.internal.call.Lanes;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of what is kept. They are made when it is known that the application keeps calls, for reading them opens the store. A
 * gauge that can't be read is not a number.
 */
final class StoreGauges {

    private final StoreReadings readings;

    private final Clock clock;

    private final AtomicBoolean hasLetters = new AtomicBoolean();

    private final AtomicBoolean hasCalls = new AtomicBoolean();

    StoreGauges(StoreReadings readings, Clock clock) {
        this.readings = readings;
        this.clock = clock;
    }

    void letters(MeterRegistry registry) {
        if (hasLetters.get() || !hasLetters.compareAndSet(false, true)) {
            return;
        }
        for (DeadLetterStatus status : DeadLetterStatus.values()) {
            gauge(StoreMeterDocumentation.DEAD_LETTERS, gauges -> gauges.count(status))
                    .tag(
                            StoreMeterDocumentation.Key.STATUS.asString(),
                            status.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        seconds(StoreMeterDocumentation.DEAD_LETTERS_OLDEST, StoreGauges::oldest)
                .register(registry);
    }

    void calls(MeterRegistry registry, Set<String> lanes) {
        if (!hasCalls.compareAndSet(false, true)) {
            return;
        }
        for (String lane : lanes) {
            // The default threads run the calls of lanes that are not known here.
            Predicate<String> mine = lane.equals(Lanes.DEFAULT)
                    ? stored -> stored.equals(lane) || !lanes.contains(stored)
                    : lane::equals;
            gauge(StoreMeterDocumentation.DURABLE_WAITING, gauges -> gauges.sum(mine, CallEngine.Backlog::waiting))
                    .tag(StoreMeterDocumentation.Key.LANE.asString(), lane)
                    .register(registry);
            seconds(
                            StoreMeterDocumentation.DURABLE_LAG,
                            gauges -> gauges.max(mine, backlog -> secondsSince(backlog.nextDue())))
                    .tag(StoreMeterDocumentation.Key.LANE.asString(), lane)
                    .register(registry);
            for (LaneState reason : LaneState.values()) {
                if (reason != LaneState.OPEN) {
                    gauge(StoreMeterDocumentation.DURABLE_BLOCKED, gauges -> gauges.blocked(lane, reason, mine))
                            .tag(StoreMeterDocumentation.Key.LANE.asString(), lane)
                            .tag(StoreMeterDocumentation.Key.REASON.asString(), reason.label())
                            .register(registry);
                }
            }
        }
        seconds(StoreMeterDocumentation.DURABLE_LONGEST_ATTEMPT, gauges -> seconds(gauges.readings.longestAttempt()))
                .register(registry);
    }

    private Gauge.Builder<StoreGauges> gauge(StoreMeterDocumentation meter, ToDoubleFunction<StoreGauges> value) {
        return Gauge.builder(meter.getName(), this, value).description(meter.getDescription());
    }

    private TimeGauge.Builder<StoreGauges> seconds(StoreMeterDocumentation meter, ToDoubleFunction<StoreGauges> value) {
        return TimeGauge.builder(meter.getName(), this, TimeUnit.SECONDS, value).description(meter.getDescription());
    }

    void duplicates(MeterRegistry registry, String name) {
        FunctionCounter.builder(
                        StoreMeterDocumentation.DURABLE_DUPLICATES.getName(), readings, known -> known.duplicates(name))
                .description(StoreMeterDocumentation.DURABLE_DUPLICATES.getDescription())
                .tag(StoreMeterDocumentation.Key.NAME.asString(), name)
                .register(registry);
    }

    private double count(DeadLetterStatus status) {
        List<DeadLetterStore.Total> totals = readings.letters();
        return totals == null
                ? Double.NaN
                : totals.stream()
                        .filter(total -> total.status() == status)
                        .mapToLong(DeadLetterStore.Total::count)
                        .sum();
    }

    private double oldest() {
        List<DeadLetterStore.Total> totals = readings.letters();
        if (totals == null) {
            return Double.NaN;
        }
        return totals.stream()
                .filter(total -> total.status() == DeadLetterStatus.DEAD)
                .mapToDouble(total -> secondsSince(total.oldest()))
                .sum();
    }

    private double blocked(String lane, LaneState reason, Predicate<String> stored) {
        Map<String, LaneState> states = readings.lanes();
        if (states == null) {
            return Double.NaN;
        }
        return states.get(lane) == reason ? sum(stored, CallEngine.Backlog::waiting) : 0;
    }

    private double sum(Predicate<String> lanes, ToDoubleFunction<CallEngine.Backlog> value) {
        return values(lanes, value).map(DoubleStream::sum).orElse(Double.NaN);
    }

    private double max(Predicate<String> lanes, ToDoubleFunction<CallEngine.Backlog> value) {
        return values(lanes, value).map(all -> all.max().orElse(0)).orElse(Double.NaN);
    }

    private Optional<DoubleStream> values(Predicate<String> lanes, ToDoubleFunction<CallEngine.Backlog> value) {
        Map<String, CallEngine.Backlog> backlogs = readings.calls();
        return Optional.ofNullable(backlogs)
                .map(all -> all.entrySet().stream()
                        .filter(entry -> lanes.test(entry.getKey()))
                        .mapToDouble(entry -> value.applyAsDouble(entry.getValue())));
    }

    /** Zero for what is yet to come. */
    private double secondsSince(@Nullable Instant time) {
        if (time == null) {
            return 0;
        }
        // A row may have been edited: the milliseconds since any time are too many for a long.
        Duration since = Duration.between(time, clock.instant());
        return Math.max(0, seconds(since));
    }

    private static double seconds(Duration time) {
        return time.getSeconds() + time.getNano() / 1e9;
    }
}

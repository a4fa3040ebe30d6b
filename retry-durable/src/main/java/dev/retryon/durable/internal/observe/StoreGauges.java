/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.observe;

import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.internal.call.LaneStates;
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

    /** Makes those of dead letters. */
    void letters(MeterRegistry registry) {
        if (hasLetters.get() || !hasLetters.compareAndSet(false, true)) {
            return;
        }
        for (DeadLetterStatus status : DeadLetterStatus.values()) {
            Gauge.builder(StoreMeterDocumentation.DEAD_LETTERS.getName(), this, gauges -> gauges.count(status))
                    .description(StoreMeterDocumentation.DEAD_LETTERS.getDescription())
                    .tag(
                            StoreMeterDocumentation.Status.STATUS.asString(),
                            status.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        TimeGauge.builder(
                        StoreMeterDocumentation.DEAD_LETTERS_OLDEST.getName(),
                        this,
                        TimeUnit.SECONDS,
                        StoreGauges::oldest)
                .description(StoreMeterDocumentation.DEAD_LETTERS_OLDEST.getDescription())
                .register(registry);
    }

    /** Makes those of durable calls. */
    void calls(MeterRegistry registry, Set<String> lanes) {
        if (!hasCalls.compareAndSet(false, true)) {
            return;
        }
        for (String lane : lanes) {
            // The default threads run the calls of lanes that are not known here.
            Predicate<String> mine = lane.equals(Lanes.DEFAULT)
                    ? stored -> stored.equals(lane) || !lanes.contains(stored)
                    : lane::equals;
            Gauge.builder(
                            StoreMeterDocumentation.DURABLE_WAITING.getName(),
                            this,
                            gauges -> gauges.sum(mine, CallEngine.Backlog::waiting))
                    .description(StoreMeterDocumentation.DURABLE_WAITING.getDescription())
                    .tag(StoreMeterDocumentation.Lane.LANE.asString(), lane)
                    .register(registry);
            TimeGauge.builder(
                            StoreMeterDocumentation.DURABLE_LAG.getName(),
                            this,
                            TimeUnit.SECONDS,
                            gauges -> gauges.max(mine, backlog -> secondsSince(backlog.nextDue())))
                    .description(StoreMeterDocumentation.DURABLE_LAG.getDescription())
                    .tag(StoreMeterDocumentation.Lane.LANE.asString(), lane)
                    .register(registry);
            for (LaneStates.State reason : LaneStates.State.values()) {
                if (reason != LaneStates.State.OPEN) {
                    Gauge.builder(
                                    StoreMeterDocumentation.DURABLE_BLOCKED.getName(),
                                    this,
                                    gauges -> gauges.blocked(lane, reason, mine))
                            .description(StoreMeterDocumentation.DURABLE_BLOCKED.getDescription())
                            .tag(StoreMeterDocumentation.Lane.LANE.asString(), lane)
                            .tag(StoreMeterDocumentation.Lane.REASON.asString(), reason.label())
                            .register(registry);
                }
            }
        }
        TimeGauge.builder(
                        StoreMeterDocumentation.DURABLE_LONGEST_ATTEMPT.getName(),
                        readings,
                        TimeUnit.SECONDS,
                        known -> seconds(known.longestAttempt()))
                .description(StoreMeterDocumentation.DURABLE_LONGEST_ATTEMPT.getDescription())
                .register(registry);
    }

    /** Makes the counter of a method with a unique key. */
    void duplicates(MeterRegistry registry, String name) {
        FunctionCounter.builder(
                        StoreMeterDocumentation.DURABLE_DUPLICATES.getName(), readings, known -> known.duplicates(name))
                .description(StoreMeterDocumentation.DURABLE_DUPLICATES.getDescription())
                .tag(StoreMeterDocumentation.Called.NAME.asString(), name)
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

    private double blocked(String lane, LaneStates.State reason, Predicate<String> stored) {
        Map<String, LaneStates.State> states = readings.lanes();
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

    /** Empty if the store can't be read. */
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

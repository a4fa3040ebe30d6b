// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.observe;

import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.internal.call.LaneState;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Gauges of stored calls and dead letters. The value of a gauge that cannot be read is NaN. */
final class StoreGauges {

    /** The states that a dead letter can have. It waits while it is resent. */
    private static final Set<State> STATES = EnumSet.of(State.DEAD, State.WAITING, State.RESOLVED, State.DISCARDED);

    private final StoreReadings readings;

    private final Clock clock;

    private final AtomicBoolean hasLetters = new AtomicBoolean();

    private final AtomicBoolean hasCalls = new AtomicBoolean();

    StoreGauges(StoreReadings readings, Clock clock) {
        this.readings = readings;
        this.clock = clock;
    }

    void letters(MeterRegistry registry) {
        if (!hasLetters.compareAndSet(false, true)) {
            return;
        }
        STATES.forEach(state -> gauge(
                        StoreMeterDocumentation.DEAD_LETTERS, gauges -> gauges.letters(state, CallStore.Total::count))
                .tag(StoreMeterDocumentation.Key.STATE.asString(), state.name().toLowerCase(Locale.ROOT))
                .register(registry));
        seconds(
                        StoreMeterDocumentation.DEAD_LETTERS_OLDEST,
                        gauges -> gauges.letters(State.DEAD, total -> gauges.secondsSince(total.oldest())))
                .register(registry);
    }

    void calls(MeterRegistry registry, Set<String> lanes) {
        if (!hasCalls.compareAndSet(false, true)) {
            return;
        }
        for (String lane : lanes) {
            gauge(StoreMeterDocumentation.DURABLE_WAITING, gauges -> gauges.waiting(lane))
                    .tag(StoreMeterDocumentation.Key.LANE.asString(), lane)
                    .register(registry);
            seconds(
                            StoreMeterDocumentation.DURABLE_LAG,
                            gauges -> gauges.calls(lane, calls -> seconds(calls.lag(gauges.clock.instant()))))
                    .tag(StoreMeterDocumentation.Key.LANE.asString(), lane)
                    .register(registry);
            for (LaneState reason : LaneState.values()) {
                if (reason != LaneState.OPEN) {
                    gauge(StoreMeterDocumentation.DURABLE_BLOCKED, gauges -> gauges.blocked(lane, reason))
                            .tag(StoreMeterDocumentation.Key.LANE.asString(), lane)
                            .tag(StoreMeterDocumentation.Key.REASON.asString(), reason.label())
                            .register(registry);
                }
            }
        }
        gauge(StoreMeterDocumentation.DURABLE_UNRESOLVED, StoreGauges::unresolved)
                .register(registry);
        gauge(StoreMeterDocumentation.DURABLE_ORDER_KEYS, gauges -> gauges.ordered(CallStore.Blocked::keys))
                .register(registry);
        seconds(
                        StoreMeterDocumentation.DURABLE_ORDER_OLDEST,
                        gauges -> gauges.ordered(blocked -> gauges.secondsSince(blocked.oldest())))
                .register(registry);
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

    private double letters(State state, ToDoubleFunction<CallStore.Total> value) {
        List<CallStore.Total> totals = readings.letters();
        return totals == null
                ? Double.NaN
                : totals.stream()
                        .filter(total -> total.state() == state)
                        .mapToDouble(value)
                        .sum();
    }

    private double blocked(String lane, LaneState reason) {
        Map<String, LaneState> states = readings.lanes();
        if (states == null) {
            return Double.NaN;
        }
        return states.get(lane) == reason ? waiting(lane) : 0;
    }

    private double ordered(ToDoubleFunction<CallStore.Blocked> value) {
        return readings.ordered().map(value::applyAsDouble).orElse(Double.NaN);
    }

    private double unresolved() {
        CallEngine.Backlog calls = readings.unresolved().orElse(null);
        return calls == null ? Double.NaN : calls.waiting();
    }

    private double waiting(String lane) {
        return calls(lane, CallEngine.Backlog::waiting);
    }

    private double calls(String lane, ToDoubleFunction<CallEngine.Backlog> value) {
        Map<String, CallEngine.Backlog> backlogs = readings.calls();
        return backlogs == null
                ? Double.NaN
                : value.applyAsDouble(backlogs.getOrDefault(lane, CallEngine.Backlog.NONE));
    }

    /** Returns the age of a time, or zero for a time in the future. */
    private double secondsSince(@Nullable Instant time) {
        if (time == null) {
            return 0;
        }
        // A row might have been edited, and the milliseconds since any time can be too many for a long.
        Duration since = Duration.between(time, clock.instant());
        return Math.max(0, seconds(since));
    }

    private static double seconds(Duration time) {
        return time.getSeconds() + time.getNano() / 1e9;
    }
}

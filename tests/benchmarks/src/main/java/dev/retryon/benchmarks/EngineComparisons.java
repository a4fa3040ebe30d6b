/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import static dev.retryon.benchmarks.Contenders.nanoseconds;

import dev.retryon.benchmarks.async.AsyncBenchmark;
import dev.retryon.benchmarks.async.AsyncEngine;
import dev.retryon.benchmarks.async.WaitingCalls;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.engine.Engine;
import dev.retryon.benchmarks.engine.EngineBenchmark;
import dev.retryon.benchmarks.measure.Comparison;
import dev.retryon.benchmarks.measure.Gauge;
import dev.retryon.benchmarks.measure.JmhGauge;
import dev.retryon.benchmarks.measure.Sample;
import dev.retryon.benchmarks.measure.Unit;
import dev.retryon.benchmarks.waits.BlockingWaits;
import dev.retryon.benchmarks.waits.Waiter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Calls under the engines, without Spring. The limit is what one writes by hand. */
final class EngineComparisons {

    private EngineComparisons() {}

    static List<Comparison> all() {
        return Stream.concat(calls().stream(), BlockingWaits.sizes().stream().map(EngineComparisons::waits))
                .toList();
    }

    private static Comparison waits(int calls) {
        return new Comparison(
                "waits-" + calls,
                "%,d blocking calls at once, each fails and waits a second three times: all of them".formatted(calls),
                Unit.MILLISECONDS,
                "ms CPU",
                Contenders.of(List.of(Waiter.values()), Names::of, waiter -> BlockingWaits.gauge(waiter, calls)));
    }

    private static List<Comparison> calls() {
        return List.of(
                of("engine-succeed", "Engine alone: succeeds at once", Scenario.SUCCEED),
                of("engine-fail-twice", "Engine alone: fails twice, then succeeds", Scenario.FAIL_TWICE),
                of("engine-refuse", "Engine alone: error that is not to be retried", Scenario.REFUSE),
                of("engine-exhaust", "Engine alone: all three attempts fail", Scenario.EXHAUST),
                of("engine-gate", "Engine alone: fails twice, a condition decides", Scenario.GATE),
                nanoseconds(
                        "engine-attempts",
                        "Engine alone: one of many attempts",
                        Contenders.of(
                                List.of(Scenario.FAIL_9, Scenario.FAIL_999),
                                Names::ofAttempts,
                                scenario -> gauge(Engine.RETRY_ON, scenario).parts(scenario.attempts()))),
                new Comparison(
                        "async",
                        "10 000 asynchronous calls at once, each fails, waits 100 ms and succeeds: all of them",
                        Unit.MILLISECONDS,
                        "B/call",
                        Contenders.of(List.of(AsyncEngine.values()), Names::of, EngineComparisons::async)),
                new Comparison(
                        "async-waiting",
                        "A waiting asynchronous call: the memory that it keeps, the time to begin it in a cold JVM",
                        Unit.NANOSECONDS,
                        "B kept",
                        Contenders.of(List.of(AsyncEngine.values()), Names::of, WaitingCalls::gauge)));
    }

    private static Comparison of(String id, String title, Scenario scenario) {
        return nanoseconds(
                id, title, Contenders.of(List.of(Engine.values()), Names::of, engine -> gauge(engine, scenario)));
    }

    private static JmhGauge gauge(Engine engine, Scenario scenario) {
        return JmhGauge.of(EngineBenchmark.class, Map.of("engine", engine.name(), "scenario", scenario.name()));
    }

    /** The time is that of all calls, the bytes are those of one. */
    private static Gauge async(AsyncEngine engine) {
        JmhGauge all = JmhGauge.of(AsyncBenchmark.class, Map.of("engine", engine.name()));
        return pace -> {
            Sample sample = all.take(pace);
            return new Sample(sample.nanos(), sample.bytes() / AsyncBenchmark.CALLS);
        };
    }
}

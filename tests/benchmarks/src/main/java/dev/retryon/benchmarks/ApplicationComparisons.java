/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import dev.retryon.benchmarks.beans.BeanSet;
import dev.retryon.benchmarks.measure.Comparison;
import dev.retryon.benchmarks.measure.JmhGauge;
import dev.retryon.benchmarks.measure.Unit;
import dev.retryon.benchmarks.scale.MethodsBenchmark;
import dev.retryon.benchmarks.startup.StartUps;
import java.util.List;
import java.util.Map;

/** Applications with many beans. */
final class ApplicationComparisons {

    private ApplicationComparisons() {}

    static List<Comparison> all(StartUps startUps) {
        return List.of(
                Contenders.nanoseconds(
                        "methods",
                        "Fails twice, then succeeds, beside other retried methods",
                        Contenders.of(
                                List.of(10, 1_000, 10_000),
                                Names::ofMethods,
                                methods -> JmhGauge.of(
                                        MethodsBenchmark.class,
                                        Map.of("set", BeanSet.RETRY_ON.name(), "methods", methods.toString())))),
                startUp(
                        "start-up",
                        "Start-up with 500 beans of 10 methods, one annotated each",
                        startUps,
                        List.of(
                                BeanSet.EMPTY,
                                BeanSet.RETRY_ON,
                                BeanSet.RETRY_ON_METRICS,
                                BeanSet.SPRING,
                                BeanSet.SPRING_RETRY,
                                BeanSet.RESILIENCE4J)),
                startUp(
                        "start-up-unretried",
                        "Start-up with 500 beans of 10 methods, none annotated",
                        startUps,
                        List.of(BeanSet.NONE, BeanSet.UNRETRIED)));
    }

    private static Comparison startUp(String id, String title, StartUps startUps, List<BeanSet> sets) {
        return new Comparison(id, title, Unit.MILLISECONDS, "B heap", Contenders.of(sets, Names::of, startUps::gauge));
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import static dev.retryon.benchmarks.Contenders.nanoseconds;

import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.measure.Comparison;
import dev.retryon.benchmarks.measure.JmhGauge;
import dev.retryon.benchmarks.proxy.Proxied;
import dev.retryon.benchmarks.proxy.ProxyBenchmark;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Calls through Spring proxies. The limit is an empty advice, or a loop by hand where something is retried. */
final class ProxyComparisons {

    private static final List<Proxied> LOOPS = List.of(
            Proxied.HAND,
            Proxied.HANDLE,
            Proxied.RETRY_ON,
            Proxied.RETRY_ON_METRICS,
            Proxied.RETRY_ON_DEFAULTS,
            Proxied.SPRING,
            Proxied.SPRING_RETRY,
            Proxied.RESILIENCE4J);

    private static final List<Proxied> ADVICES = Stream.concat(Stream.of(Proxied.EMPTY, Proxied.PLAIN), LOOPS.stream())
            .toList();

    private static final List<Proxied> TRANSACTIONAL_LOOPS =
            List.of(Proxied.HAND_TRANSACTIONAL, Proxied.RETRY_ON_TRANSACTIONAL, Proxied.SPRING_TRANSACTIONAL);

    private static final List<Proxied> TRANSACTIONAL_ADVICES = Stream.concat(
                    Stream.of(Proxied.EMPTY_TRANSACTIONAL), TRANSACTIONAL_LOOPS.stream())
            .toList();

    private ProxyComparisons() {}

    static List<Comparison> all() {
        return List.of(
                of("proxy-succeed", "Through a proxy: succeeds at once", ADVICES, Scenario.SUCCEED, 1),
                of("proxy-succeed-2", "Through a proxy: succeeds at once, 2 threads", ADVICES, Scenario.SUCCEED, 2),
                of("proxy-fail-twice", "Through a proxy: fails twice, then succeeds", LOOPS, Scenario.FAIL_TWICE, 1),
                of(
                        "proxy-fail-twice-deep",
                        "Through a proxy, 64 frames deeper: fails twice, then succeeds",
                        LOOPS,
                        Scenario.FAIL_TWICE_DEEP,
                        1),
                of("proxy-refuse", "Through a proxy: error that is not to be retried", ADVICES, Scenario.REFUSE, 1),
                of("proxy-exhaust", "Through a proxy: all three attempts fail", LOOPS, Scenario.EXHAUST, 1),
                of("proxy-gate", "Through a proxy: fails twice, a condition decides", LOOPS, Scenario.GATE, 1),
                of(
                        "proxy-operated",
                        "Through a proxy: succeeds at once, after an operator has changed settings",
                        List.of(Proxied.RETRY_ON, Proxied.RETRY_ON_OPERATED),
                        Scenario.SUCCEED,
                        1),
                of(
                        "proxy-dead-letter",
                        "Through a proxy: succeeds at once, where calls that fail for good are kept",
                        List.of(Proxied.RETRY_ON, Proxied.RETRY_ON_DEAD_LETTER),
                        Scenario.SUCCEED,
                        1),
                of(
                        "woven-succeed",
                        "Woven by AspectJ: succeeds at once",
                        List.of(Proxied.PLAIN, Proxied.RETRY_ON, Proxied.RETRY_ON_WOVEN),
                        Scenario.SUCCEED,
                        1),
                of(
                        "woven-fail-twice",
                        "Woven by AspectJ: fails twice, then succeeds",
                        List.of(Proxied.RETRY_ON, Proxied.RETRY_ON_WOVEN),
                        Scenario.FAIL_TWICE,
                        1),
                of(
                        "proxy-tx-succeed",
                        "@Transactional behind it: succeeds at once",
                        TRANSACTIONAL_ADVICES,
                        Scenario.SUCCEED,
                        1),
                of(
                        "proxy-tx-fail-twice",
                        "@Transactional behind it: fails twice, then succeeds",
                        TRANSACTIONAL_LOOPS,
                        Scenario.FAIL_TWICE,
                        1),
                nanoseconds(
                        "proxy-attempts",
                        "Through a proxy: one of many attempts",
                        Contenders.of(
                                List.of(Scenario.FAIL_9, Scenario.FAIL_999),
                                Names::ofAttempts,
                                scenario -> gauge(Proxied.RETRY_ON, scenario).parts(scenario.attempts()))));
    }

    private static Comparison of(String id, String title, List<Proxied> advices, Scenario scenario, int threads) {
        return nanoseconds(
                id,
                title,
                Contenders.of(
                        advices, Names::of, advice -> gauge(advice, scenario).threads(threads)));
    }

    private static JmhGauge gauge(Proxied proxied, Scenario scenario) {
        return JmhGauge.of(ProxyBenchmark.class, Map.of("proxied", proxied.name(), "scenario", scenario.name()));
    }
}

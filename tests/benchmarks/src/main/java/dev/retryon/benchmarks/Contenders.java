/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import dev.retryon.benchmarks.measure.Comparison;
import dev.retryon.benchmarks.measure.Contender;
import dev.retryon.benchmarks.measure.Gauge;
import dev.retryon.benchmarks.measure.Unit;
import java.util.List;
import java.util.function.Function;

/** Makes comparisons of those that are measured alike. */
final class Contenders {

    private Contenders() {}

    /** A comparison in nanoseconds and allocated bytes. */
    static Comparison nanoseconds(String id, String title, List<Contender> contenders) {
        return new Comparison(id, title, Unit.NANOSECONDS, "B/call", contenders);
    }

    static <T> List<Contender> of(List<T> subjects, Function<T, String> label, Function<T, ? extends Gauge> gauge) {
        return subjects.stream()
                .map(subject -> {
                    String name = label.apply(subject);
                    return new Contender(name, name.startsWith(Names.OURS), gauge.apply(subject));
                })
                .toList();
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTests {

    private final Rounds rounds =
            new Rounds(Pace.quick().withRounds(3), new PrintStream(OutputStream.nullOutputStream()));

    private final List<String> order = new ArrayList<>();

    private Contender contender(String name, double... nanos) {
        Iterator<Double> times = Arrays.stream(nanos).iterator();
        return new Contender(name, false, pace -> {
            order.add(name);
            return new Sample(times.next(), 8);
        });
    }

    private Comparison comparison(Contender... contenders) {
        return new Comparison("id", "title", Unit.NANOSECONDS, "B", List.of(contenders));
    }

    @Test
    void computesRatiosWithinARoundAndTakesTheirMedian() throws Exception {
        Outcome outcome = rounds.run(List.of(comparison(contender("limit", 10, 20, 40), contender("peer", 30, 40, 44))))
                .get(0);
        Figures peer = outcome.figures().get(1);
        assertThat(peer.ratios()).containsExactly(3.0, 2.0, 1.1);
        assertThat(peer.ratio()).isEqualTo(2.0);
        assertThat(peer.time()).isEqualTo(40);
        assertThat(outcome.figures().get(0).ratio()).isEqualTo(1);
    }

    @Test
    void measuresContendersSideBySideAndEveryOtherRoundBackwards() throws Exception {
        rounds.run(List.of(comparison(contender("a", 1, 1, 1), contender("b", 1, 1, 1))));
        assertThat(order).containsExactly("a", "b", "b", "a", "a", "b");
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        assertThat(Figures.median(4, 1, 3, 2)).isEqualTo(2.5); // (2 + 3) / 2
        assertThat(Figures.median(3, 1, 2)).isEqualTo(2);
    }
}

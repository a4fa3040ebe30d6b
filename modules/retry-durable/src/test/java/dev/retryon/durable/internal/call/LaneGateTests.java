// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.internal.call.LaneGate.Outcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When attempts of a lane may start, in virtual time. */
class LaneGateTests {

    private static final Duration NOW = Duration.ZERO;

    /** The monotonic clock, which can overflow. */
    private final AtomicLong time =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(3).toNanos());

    private LaneGate gate(@Nullable Double maxPerSecond, boolean probes) {
        return new LaneGate(maxPerSecond, probes, time::get);
    }

    private void pass(Duration elapsed) {
        time.addAndGet(elapsed.toNanos());
    }

    private static Outcome failedFor(Duration delay) {
        return new Outcome(false, delay);
    }

    @Test
    void withoutARateAndAProbeNothingWaits() {
        LaneGate gate = gate(null, false);
        for (int i = 0; i < 1000; i++) {
            assertThat(gate.enter("a")).isEqualTo(NOW);
            gate.leave("a", failedFor(Duration.ofHours(1)));
        }
        assertThat(gate.isAtRate()).isFalse();
        assertThat(gate.isClosed()).isFalse();
        assertThat(gate.closedFor()).isEqualTo(NOW);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 3, 20, 1000})
    void theRateIsKeptHoweverOftenCallsAreTried(double rate) {
        LaneGate gate = gate(rate, false);
        long begin = time.get();
        int started = 0;
        while (time.get() - begin < Duration.ofSeconds(20).toNanos() && started < 100_000) {
            Duration wait = gate.enter("a");
            if (wait.isZero()) {
                started++;
            } else {
                pass(wait);
            }
        }

        // The first one, 20 s at the rate, and 250 ms that may be made up for; the last look might be 125 ms before the
        // end.
        assertThat(started).isBetween((int) (19.875 * rate), (int) (1 + 20.25 * rate));
    }

    @Test
    void timeThatIsLostByLookingLateIsMadeUpForButNotAWholePause() {
        LaneGate gate = gate(10.0, false);
        assertThat(burst(gate)).isEqualTo(1);
        pass(Duration.ofMillis(240));
        assertThat(burst(gate)).isEqualTo(2); // those of 100 and of 200 ms
        pass(Duration.ofHours(10));
        assertThat(burst(gate)).isEqualTo(3); // one now, and those of 250 ms
    }

    private static int burst(LaneGate gate) {
        int started = 0;
        while (started < 1000 && gate.enter("a").isZero()) {
            started++;
        }
        return started;
    }

    @Test
    void aLaneIsAtItsRateUntilItMakesUpForLostTime() {
        LaneGate gate = gate(10.0, false);
        assertThat(gate.isAtRate()).isFalse(); // no attempt has started
        pass(Duration.ofSeconds(1));
        assertThat(gate.isAtRate()).isFalse();
        burst(gate);
        assertThat(gate.isAtRate()).isTrue();
        pass(Duration.ofMillis(150));
        assertThat(gate.isAtRate()).isTrue();
        pass(Duration.ofMillis(100));
        assertThat(gate.isAtRate()).isFalse();
    }

    @Test
    void aClosedLaneIsLookedAtInBatchesAtAHighRate() {
        LaneGate gate = gate(1000.0, false);
        burst(gate);

        assertThat(gate.closedFor()).isEqualTo(Duration.ofMillis(125));
    }

    @Test
    void afterThreeFailuresInARowOneCallIsTriedAtATimeUntilOneSucceeds() {
        LaneGate gate = gate(null, true);
        Duration delay = Duration.ofSeconds(30);
        for (int i = 0; i < LaneGate.FAILURES; i++) {
            assertThat(gate.isClosed()).isFalse();
            assertThat(gate.enter("a")).isEqualTo(NOW);
            gate.leave("a", failedFor(delay));
        }
        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.enter("b")).isEqualTo(delay);

        pass(delay);
        assertThat(gate.enter("b")).isEqualTo(NOW);
        assertThat(gate.enter("c")).isEqualTo(Duration.ofSeconds(1));
        pass(Duration.ofMinutes(5));
        assertThat(gate.enter("c")).isEqualTo(Duration.ofSeconds(1));
        gate.leave("b", failedFor(Duration.ofSeconds(5)));
        assertThat(gate.enter("c")).isEqualTo(Duration.ofSeconds(5));

        pass(Duration.ofSeconds(5));
        assertThat(gate.enter("c")).isEqualTo(NOW);
        gate.leave("c", Outcome.SUCCESS);
        assertThat(gate.isClosed()).isFalse();
        assertThat(gate.enter("d")).isEqualTo(NOW);
        assertThat(gate.enter("e")).isEqualTo(NOW);
    }

    @Test
    void aSuccessInBetweenKeepsALaneOpen() {
        LaneGate gate = gate(null, true);
        for (int i = 0; i < 10; i++) {
            gate.leave("a", Outcome.LAST_FAILURE);
            gate.leave("b", Outcome.LAST_FAILURE);
            gate.leave("c", Outcome.SUCCESS);
        }

        assertThat(gate.isClosed()).isFalse();
    }

    @Test
    void aProbeThatSaysNothingMakesRoomForTheNextOne() {
        LaneGate gate = closed(Duration.ZERO);
        assertThat(gate.enter("a")).isEqualTo(NOW);
        gate.leave("a", null);

        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.enter("b")).isEqualTo(NOW);
        assertThat(gate.enter("c")).isPositive();
    }

    @Test
    void aSuccessOfACallThatStartedBeforeOpensTheLane() {
        LaneGate gate = closed(Duration.ofHours(1));
        assertThat(gate.leave("earlier", Outcome.SUCCESS)).isTrue();

        assertThat(gate.enter("a")).isEqualTo(NOW);
        assertThat(gate.leave("a", Outcome.SUCCESS)).isFalse();
    }

    @Test
    void aProbeThatHangsIsNotWaitedForWithoutEnd() {
        LaneGate gate = closed(Duration.ZERO);
        assertThat(gate.enter("hangs")).isEqualTo(NOW);
        pass(Duration.ofMinutes(10));

        assertThat(gate.enter("next")).isEqualTo(NOW);
        assertThat(gate.enter("another")).isEqualTo(Duration.ofSeconds(1));
        gate.leave("hangs", Outcome.LAST_FAILURE);
        assertThat(gate.enter("another")).isEqualTo(Duration.ofSeconds(1));
        gate.leave("next", Outcome.SUCCESS);
        assertThat(gate.enter("another")).isEqualTo(NOW);
    }

    @Test
    void theNextProbeIsTriedAfterAMinuteAtMost() {
        LaneGate gate = closed(Duration.ofSeconds(Long.MAX_VALUE));

        assertThat(gate.closedFor()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aLaneThatOpensStartsAtItsRate() {
        LaneGate gate = gate(2.0, true);
        for (int i = 0; i < LaneGate.FAILURES; i++) {
            gate.leave("a", failedFor(Duration.ZERO));
        }
        pass(Duration.ofMinutes(1));
        assertThat(gate.enter("a")).isEqualTo(NOW);
        gate.leave("a", Outcome.SUCCESS);

        // The probe was at 0 ms; 250 ms are made up for.
        assertThat(gate.enter("b")).isEqualTo(Duration.ofMillis(250));
        pass(Duration.ofMillis(250));
        assertThat(gate.enter("b")).isEqualTo(NOW);
        assertThat(gate.enter("c")).isEqualTo(Duration.ofMillis(500));
    }

    private LaneGate closed(Duration delay) {
        LaneGate gate = gate(null, true);
        for (int i = 0; i < LaneGate.FAILURES; i++) {
            gate.leave("a", failedFor(delay));
        }
        assertThat(gate.isClosed()).isTrue();
        return gate;
    }
}

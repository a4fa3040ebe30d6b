// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import dev.retryon.endurance.Endurance;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three processes on one PostgreSQL server store calls of two lanes, while the partner of one lane is down and afterwards. */
@Tag("endurance")
@Tag("database")
@Tag("process")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class OutageTests {

    private static final int SECONDS = Endurance.seconds(8);

    /** The lost time that a rate makes up for, in seconds. */
    private static final double CATCH_UP = 0.25;

    /** How long a process uses a number of waiting calls before it counts again. */
    private static final int COUNT_SECONDS = 5;

    @Test
    void eachStoredCallRunsOnceOrIsADeadLetter() throws Exception {
        OutageResult result = run("outage", 0);
        assertThat(result.runTwice()).isEmpty();
        assertThat(result.slowestSeconds())
                .as("seconds from storing a call of orders to its first attempt")
                .isLessThan(2);
    }

    @Test
    void killedProcessesLoseNoCall() throws Exception {
        int kills = Math.max(4, SECONDS / 3);
        // The lease of a killed process expires after four heartbeats.
        OutageResult result = run("outage-kills", kills, "--retryon.durable.heartbeat-interval=1s");
        assertThat(result.runTwice())
                .as("at most the calls that the threads of the killed processes ran")
                .hasSizeLessThanOrEqualTo(kills * 2 * Outage.THREADS);
    }

    @Test
    void aLimitRejectsFurtherCallsAndLosesNone() throws Exception {
        int limit = Outage.STORED_PER_SECOND * SECONDS / 2;
        OutageResult result = run("outage-limit", 0, "--retryon.durable.lanes.mail.max-waiting=" + limit);
        assertThat(result.runTwice()).isEmpty();
        assertThat(result.rejected()).isPositive();
        assertThat(result.mail().waiting()).isLessThanOrEqualTo(limit + 2L * COUNT_SECONDS * Outage.STORED_PER_SECOND);
        assertThat(result.slowestSeconds())
                .as("seconds from storing a call of orders to its first attempt")
                .isLessThan(2);
    }

    private static OutageResult run(String name, int kills, String... properties) throws IOException {
        OutageResult result;
        try (Outage outage = new Outage(SECONDS, kills, properties)) {
            result = outage.run();
        }
        Endurance.report(name, result.lines());
        int allowed =
                (int) (Outage.NODES * (Outage.MAX_PER_SECOND * (result.window() + CATCH_UP) + 1 + Outage.THREADS));
        assertSoftly(softly -> {
            softly.assertThat(result.lost()).as("stored calls that are lost").isEmpty();
            softly.assertThat(result.run()).as("only stored calls run").isSubsetOf(result.stored());
            softly.assertThat(result.deadLetters())
                    .as("no call that has run is a dead letter")
                    .doesNotContainAnyElementsOf(result.run());
            softly.assertThat(result.deadLetters())
                    .as("dead letters: each refused order once")
                    .containsExactlyInAnyOrderElementsOf(result.refused());
            softly.assertThat(result.refused()).as("some orders are refused").isNotEmpty();
            softly.assertThat(result.fastest())
                    .as("attempts of mail in %d seconds", result.window())
                    .isLessThanOrEqualTo(allowed);
        });
        return result;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Looks for due calls do not read rows again that were deleted before the latest look. */
class DueCallsTests {

    private static final Instant DUE = Instant.parse("2026-11-26T10:00:00Z");

    private final List<Instant> begins = new ArrayList<>();

    private final DueCalls due = due(Duration.ofHours(1));

    private static DueCalls due(Duration pollInterval) {
        return due(pollInterval, Map.of());
    }

    private static DueCalls due(Duration pollInterval, Map<String, Lanes.Lane> others) {
        Lanes lanes = new Lanes(2, null, null, others);
        return new DueCalls("shop", lanes, Lanes.DEFAULT, pollInterval, () -> {}, failed -> {});
    }

    private void look(DueCalls due, Instant... found) {
        due.look(2, (condition, from, limit) -> {
            begins.add(from);
            return List.of(found).stream()
                    .map(time -> new Execution(time, new TaskInstance<>("shop", time.toString())))
                    .toList();
        });
    }

    @Test
    void beginAtTheFirstCallThatTheLatestOneHasFound() {
        look(due, DUE, DUE.plusSeconds(1));
        look(due, DUE.plusSeconds(1));
        look(due);
        look(due);

        assertThat(begins).containsExactly(Instant.EPOCH, DUE, DUE.plusSeconds(1), DUE.plusSeconds(1));
    }

    @Test
    void findACallWhoseTransactionHasLastedLong() {
        look(due, DUE);
        due.stored(DUE.minusSeconds(5));
        due.stored(DUE.minusSeconds(4));
        look(due, DUE.minusSeconds(5), DUE.minusSeconds(4));
        look(due);

        assertThat(begins).containsExactly(Instant.EPOCH, DUE.minusSeconds(5), DUE.minusSeconds(5));
    }

    @Test
    void areAtAllDueCallsTwiceInAPollInterval() {
        DueCalls always = due(Duration.ZERO);
        look(always, DUE);
        look(always, DUE);

        assertThat(begins).containsExactly(Instant.EPOCH, Instant.EPOCH);
    }

    @Test
    void areAtAllDueCallsAfterALaneWasSkipped() {
        look(due, DUE);
        due.skipLane("mail", Duration.ZERO);
        look(due);

        assertThat(begins).containsExactly(Instant.EPOCH, Instant.EPOCH);
    }

    @Test
    void areAtAllDueCallsOfEachPriorityAfterAnError() {
        DueCalls due = due(Duration.ofHours(1), Map.of("urgent", new Lanes.Lane(null, 5, null, null, false)));
        look(due, DUE);
        due.look(2, (condition, from, limit) -> {
            throw new IllegalStateException("the database is down");
        });
        look(due);

        assertThat(begins).containsExactly(Instant.EPOCH, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH);
    }
}

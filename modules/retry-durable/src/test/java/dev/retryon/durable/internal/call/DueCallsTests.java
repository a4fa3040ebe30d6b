// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import dev.retryon.durable.internal.call.DueCalls.Candidate;
import dev.retryon.durable.internal.call.DueCalls.Kind;
import dev.retryon.durable.internal.call.DueCalls.Range;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Looks for due calls read and lease only calls that may start, and no rows that were deleted before the latest look. */
class DueCallsTests {

    private static final Instant DUE = Instant.parse("2026-11-26T10:00:00Z");

    private static final Kind SEND = new Kind(Lanes.DEFAULT, "send");

    private final Rows rows = new Rows();

    private final Gates gates = new Gates();

    private final List<Duration> laterLooks = new ArrayList<>();

    private final List<RuntimeException> errors = new ArrayList<>();

    private final DueCalls due = due(Duration.ofHours(1), Map.of());

    private DueCalls due(Duration pollInterval, Map<String, Lanes.Lane> others) {
        Lanes lanes = new Lanes(2, null, null, others);
        return new DueCalls(lanes, Lanes.DEFAULT, rows, gates, pollInterval, laterLooks::add, errors::add);
    }

    private static Lanes.Lane shared(int priority) {
        return new Lanes.Lane(null, priority, null, null, false);
    }

    private List<String> look(DueCalls looks, int limit) {
        return looks.look(limit, "me").stream().map(Execution::getId).toList();
    }

    @Test
    void beginAtTheFirstCallThatTheLatestOneHasFound() {
        rows.add("a", SEND, DUE);
        rows.add("b", SEND, DUE.plusSeconds(1));
        assertThat(look(due, 1)).containsExactly("a");
        assertThat(look(due, 1)).containsExactly("b");
        assertThat(look(due, 1)).isEmpty();
        assertThat(look(due, 1)).isEmpty();

        assertThat(rows.begins).containsExactly(DUE, DUE, DUE.plusSeconds(1), DUE.plusSeconds(1));
    }

    @Test
    void findACallWhoseTransactionHasLastedLong() {
        rows.add("a", SEND, DUE);
        assertThat(look(due, 2)).containsExactly("a");
        rows.add("early", SEND, DUE.minusSeconds(5));
        assertThat(look(due, 2)).isEmpty();
        due.stored(SEND, DUE.minusSeconds(5));
        due.stored(SEND, DUE.minusSeconds(4));

        assertThat(look(due, 2)).containsExactly("early");
    }

    @Test
    void findTheFirstCallOfAKindThatThisProcessHasStored() {
        assertThat(look(due, 2)).isEmpty();
        rows.add("a", SEND, DUE);
        due.stored(SEND, DUE);

        assertThat(look(due, 2)).containsExactly("a");
        assertThat(rows.completeLooks).isOne();
    }

    @Test
    void areAtAllDueCallsTwiceInAPollInterval() {
        DueCalls always = due(Duration.ZERO, Map.of());
        assertThat(look(always, 2)).isEmpty();
        rows.add("a", SEND, DUE);

        assertThat(look(always, 2)).containsExactly("a");
    }

    @Test
    void areAtAllDueCallsIfAnyCallMayBeDue() {
        assertThat(look(due, 2)).isEmpty();
        rows.add("a", SEND, DUE);
        due.lookAtAll();

        assertThat(look(due, 2)).containsExactly("a");
    }

    @Test
    void areAtAllDueCallsAfterAnError() {
        rows.add("a", SEND, DUE);
        rows.error = new IllegalStateException("the database is down");
        assertThat(look(due, 2)).isEmpty();
        assertThat(errors).containsExactly(rows.error);
        assertThat(gates.entered).isEmpty();
        rows.error = null;

        assertThat(look(due, 2)).containsExactly("a");
        assertThat(rows.completeLooks).isEqualTo(2);
    }

    @Test
    void askForNoCallsOfMethodsThatMayNotRun() {
        IntStream.range(0, 1000).forEach(i -> rows.add("paused " + i, new Kind(Lanes.DEFAULT, "paused"), DUE));
        rows.add("a", SEND, DUE.plusSeconds(1));
        gates.delays.put("paused", null);

        assertThat(look(due, 2)).containsExactly("a");
        assertThat(rows.found).containsExactly("a");

        gates.delays.clear();
        assertThat(look(due, 2)).hasSize(2);
    }

    @Test
    void askForCallsThatWereUnreadableHereOnlyAfterAWhile() {
        Instant now = Instant.now();
        rows.add("a", SEND, now.minusSeconds(59));
        gates.delays.put("send", Duration.ofMinutes(1));
        assertThat(look(due, 2)).isEmpty();
        rows.add("b", SEND, now.minusSeconds(61));
        due.lookAtAll();

        assertThat(look(due, 2)).containsExactly("b");
    }

    @Test
    void leaseAsManyCallsOfALaneAsItsGateLetsStartAndOthers() {
        DueCalls looks = due(Duration.ofHours(1), Map.of("paced", shared(0)));
        IntStream.range(0, 10).forEach(i -> rows.add("paced " + i, new Kind("paced", "send"), DUE.plusSeconds(i)));
        rows.add("a", SEND, DUE.plusSeconds(60));
        gates.permits.put("paced", 1);

        assertThat(look(looks, 2)).containsExactly("paced 0");
        // There might be others, and the lane is looked at when it opens.
        assertThat(laterLooks).containsExactly(Gates.CLOSED, Duration.ZERO);
        assertThat(look(looks, 2)).containsExactly("a");
        assertThat(rows.leased).containsExactly("paced 0", "a");
    }

    @Test
    void givePermitsBackThatWereNotUsed() {
        rows.add("a", SEND, DUE);
        rows.add("b", SEND, DUE);
        rows.taken.add("a");

        assertThat(look(due, 2)).containsExactly("b");
        assertThat(gates.entered).containsExactly("b");
    }

    @Test
    void findHigherPrioritiesFirst() {
        DueCalls looks = due(Duration.ofHours(1), Map.of("urgent", shared(5), "low", shared(-1)));
        rows.add("low", new Kind("low", "send"), DUE);
        rows.add("a", SEND, DUE.plusSeconds(1));
        rows.add("urgent", new Kind("urgent", "send"), DUE.plusSeconds(2));
        rows.add("of a lane that is not known here", new Kind("gone", "send"), DUE.plusSeconds(3));

        assertThat(look(looks, 2)).containsExactly("urgent", "a");
        assertThat(look(looks, 2)).containsExactly("of a lane that is not known here", "low");
    }

    @Test
    void readAHundredKindsAtATimeThoseWithTheFirstCallsFirst() {
        IntStream.range(0, 250)
                .forEach(i -> rows.add("call " + i, new Kind(Lanes.DEFAULT, "send " + i), DUE.plusSeconds(i)));

        assertThat(look(due, 3)).containsExactly("call 0", "call 1", "call 2");
        assertThat(rows.ranges).containsExactly(100);
        assertThat(look(due, 1000)).hasSize(247);
    }

    /** Calls in memory. */
    private static final class Rows implements DueCalls.Table {

        private final Map<String, Candidate> calls = new TreeMap<>();

        private final List<Instant> begins = new ArrayList<>();

        private final List<Integer> ranges = new ArrayList<>();

        private final List<String> found = new ArrayList<>();

        private final List<String> leased = new ArrayList<>();

        /** Other processes are faster. */
        private final Set<String> taken = new HashSet<>();

        private int completeLooks;

        private @Nullable RuntimeException error;

        void add(String id, Kind kind, Instant due) {
            calls.put(id, new Candidate(id, 1, kind, due, ""));
        }

        @Override
        public Map<Kind, Instant> kinds(Predicate<String> some) {
            completeLooks++;
            Map<Kind, Instant> kinds = new HashMap<>();
            calls.values().stream()
                    .filter(call -> some.test(call.kind().lane()))
                    .forEach(call ->
                            kinds.merge(call.kind(), call.due(), (one, other) -> one.isBefore(other) ? one : other));
            return kinds;
        }

        @Override
        public List<Candidate> find(List<Range> some, int limit) {
            ranges.add(some.size());
            begins.add(some.get(0).from());
            List<Candidate> result = calls.values().stream()
                    .filter(call -> some.stream()
                            .anyMatch(range -> range.kind().equals(call.kind())
                                    && !call.due().isBefore(range.from())
                                    && !call.due().isAfter(range.to())))
                    .sorted(Comparator.comparing(Candidate::due))
                    .limit(limit)
                    .toList();
            result.forEach(call -> found.add(call.id()));
            return result;
        }

        @Override
        public void lease(List<Candidate> some, String scheduler, Consumer<Execution> receiver) {
            if (error != null) {
                throw error;
            }
            some.stream().filter(call -> !taken.contains(call.id())).forEach(call -> {
                calls.remove(call.id());
                leased.add(call.id());
                receiver.accept(new Execution(call.due(), new TaskInstance<>("shop", call.id())));
            });
        }

        @Override
        public boolean leasesDue() {
            return false;
        }

        @Override
        public List<Execution> leaseDue(Range range, int limit, String scheduler) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Gates implements CallEngine.Worker {

        private static final Duration CLOSED = Duration.ofSeconds(1);

        private final Map<String, @Nullable Duration> delays = new HashMap<>();

        private final Map<String, Integer> permits = new HashMap<>();

        private final List<String> entered = new ArrayList<>();

        @Override
        public void accept(CallLease lease) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable Duration delay(String method) {
            return delays.getOrDefault(method, Duration.ZERO);
        }

        @Override
        public Duration closedFor(String lane) {
            return permits.getOrDefault(lane, 1) > 0 ? Duration.ZERO : CLOSED;
        }

        @Override
        public boolean enter(String lane, String id) {
            permits.computeIfPresent(lane, (known, left) -> left - 1);
            return entered.add(id);
        }

        @Override
        public void cancel(String lane, String id) {
            entered.remove(id);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.LeaseLostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests for both engines: the one with a database, and the one in memory, which applications use in tests. */
abstract class CallEngineContract extends ContractCalls {

    @Test
    void passesACallWhenItIsDue() {
        Instant due = now().plusMillis(200);
        add("a", due);
        List<Instant> times = new ArrayList<>();
        start(engine(), lease -> {
            times.add(now());
            assertThat(lease.isValid()).isTrue();
            remove(lease);
        });
        Passed call = next();
        assertThat(call.id()).isEqualTo("a");
        assertThat(call.content()).isEqualTo("content of a");
        assertThat(call.revived()).isFalse();
        assertThat(Duration.between(due, call.due())).isBetween(Duration.ofMillis(-1), Duration.ofMillis(1));
        assertThat(times.get(0)).isAfterOrEqualTo(call.due());
    }

    @Test
    void passesCallsInTheOrderOfTheirDueTimes() {
        for (int i = 1; i <= 5; i++) {
            add("call-" + i, now().minusSeconds(i));
        }
        start(engine(), this::remove);
        assertThat(Stream.generate(this::next).limit(5).map(Passed::id))
                .containsExactly("call-5", "call-4", "call-3", "call-2", "call-1");
    }

    @Test
    void refusesAnIdThatIsStored() {
        add("a", now());
        assertThatThrownBy(() -> write(() -> engine().add(null, "a", bytes("another"), MAIL, now())))
                .isInstanceOf(RuntimeException.class);
        start(engine(), this::remove);
        assertThat(next().content()).isEqualTo("content of a");
    }

    @Test
    void onlyOneWorkerReceivesACall() {
        IntStream.range(0, 40).forEach(i -> add("call-" + i, now()));
        start(engine(), this::remove);
        CallEngine other = otherProcess();
        if (other != null) {
            start(other, this::remove);
        }
        assertThat(Stream.generate(this::next).limit(40).map(Passed::id)).doesNotHaveDuplicates();
        until(() -> waiting() == 0);
        assertThat(hasPassed()).isFalse();
    }

    @Test
    void passesAReleasedCallAgain() {
        add("a", now());
        CallEngine.Label failed = new CallEngine.Label("Mails.send", "java.io.IOException", 1, now(), "default", "");
        start(engine(), lease -> {
            if (content(lease).equals("content of a")) {
                write(() -> lease.release(bytes("after 1"), failed, now().plusMillis(50)));
            } else {
                remove(lease);
            }
        });
        Passed first = next();
        Passed second = next();
        assertThat(List.of(first.content(), second.content())).containsExactly("content of a", "after 1");
        assertThat(second.revived()).isFalse();
        assertThat(second.due()).isAfter(first.due());
    }

    @Test
    void passesAPostponedCallAgain() {
        add("a", now());
        Instant since = Instant.ofEpochMilli(17);
        List<@Nullable Instant> unfit = new ArrayList<>();
        List<String> methods = new ArrayList<>();
        start(engine(), lease -> {
            unfit.add(lease.unfitSince());
            methods.add(lease.method());
            if (unfit.size() == 1) {
                write(() -> lease.postpone("a1.b2", since, now().plusMillis(50)));
            } else if (unfit.size() == 2) {
                write(() -> lease.release(bytes("after 1"), MAIL, now().plusMillis(50)));
            } else {
                remove(lease);
            }
        });
        assertThat(List.of(next().content(), next().content(), next().content()))
                .containsExactly("content of a", "content of a", "after 1");
        assertThat(unfit).containsExactly(null, since, null);
        assertThat(methods).containsExactly("", "a1.b2", "");
    }

    @Test
    void aRemovedCallIsGoneAndItsIdIsFree() {
        add("a", now());
        start(engine(), this::remove);
        next();
        until(() -> waiting() == 0);
        add("a", now());
        engine().wake("default", now());
        assertThat(next().id()).isEqualTo("a");
    }

    @Test
    void aLeaseThatHasEndedChangesNothing() {
        add("a", now());
        List<RuntimeException> errors = new ArrayList<>();
        start(engine(), lease -> {
            remove(lease);
            for (Runnable write : List.<Runnable>of(
                    lease::remove,
                    () -> lease.release(bytes("late"), MAIL, now()),
                    () -> lease.postpone("", null, now()))) {
                try {
                    write(write);
                } catch (RuntimeException ex) {
                    errors.add(ex);
                }
            }
        });
        next();
        assertThat(errors).hasSize(3).hasOnlyElementsOfType(LeaseLostException.class);
        until(() -> waiting() == 0);
    }

    @Test
    void aCallWhoseProcessIsPausedIsRevived() {
        CallEngine other = otherProcess();
        if (other == null) {
            return;
        }
        assertThat(add("key", "a")).isTrue();
        CountDownLatch ended = new CountDownLatch(1);
        BlockingQueue<RuntimeException> late = new LinkedBlockingQueue<>();
        start(engine(), lease -> {
            assertThat(add("key", "b")).isFalse(); // what the revived call sees
            await(() -> ended.getCount() == 0);
            try {
                write(lease::remove);
            } catch (RuntimeException ex) {
                late.add(ex);
            }
        });
        until(() -> waiting() == 0); // leased
        start(other, lease -> {
            remove(lease);
            ended.countDown();
        });
        Passed revived = next();
        assertThat(revived.id()).isEqualTo("a");
        assertThat(revived.revived()).isTrue();
        until(() -> !late.isEmpty());
        assertThat(late.element()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void countsWaitingCallsByLane() {
        Instant due = now().plusSeconds(60);
        add("a", due);
        add("b", due.plusSeconds(1));
        write(() -> engine().add(
                        null,
                        "c",
                        bytes("c"),
                        new CallEngine.Label("Mails.send", null, 0, now(), "mail", ""),
                        due.plusSeconds(2)));
        assertThat(engine().backlog()).hasSize(2);
        CallEngine.Backlog backlog = Objects.requireNonNull(engine().backlog().get("default"));
        assertThat(backlog.waiting()).isEqualTo(2);
        assertThat(Duration.between(due, backlog.nextDue())).isBetween(Duration.ofMillis(-1), Duration.ofMillis(1));
    }

    @Test
    void stopWaitsForRunningCalls() throws InterruptedException {
        add("a", now());
        AtomicBoolean ended = new AtomicBoolean();
        AtomicBoolean endedBeforeStop = new AtomicBoolean();
        Thread stopping = new Thread(() -> {
            engine().stop();
            endedBeforeStop.set(ended.get());
        });
        start(engine(), lease -> {
            stopping.start();
            await(() -> switch (stopping.getState()) {
                case NEW, RUNNABLE, BLOCKED -> false;
                case WAITING, TIMED_WAITING, TERMINATED -> true;
            });
            remove(lease);
            ended.set(true);
        });
        next();
        stopping.join(PATIENCE.toMillis());
        assertThat(endedBeforeStop).isTrue();
    }

    @Test
    void joinsTheTransactionsOfCallers() {
        TransactionTemplate transaction = transaction();
        transaction.executeWithoutResult(status -> {
            join("rolled-back", null);
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            engine().transactions()
                    .writeSingle(() -> engine().add(null, "apart", bytes("content of apart"), MAIL, now()));
            status.setRollbackOnly();
        });
        assertThat(waiting()).isEqualTo(1);
        transaction.executeWithoutResult(status -> join("joined", null));
        assertThat(waiting()).isEqualTo(2);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> engine().transactions().write(() -> {
                    engine().add(null, "first", bytes("first"), MAIL, now());
                    throw new IllegalArgumentException("the second write is refused");
                }));
        assertThat(waiting()).isEqualTo(2);
        start(engine(), this::remove);
        assertThat(List.of(next().id(), next().id())).containsExactlyInAnyOrder("apart", "joined");
    }

    @Test
    void storesOneCallOfAKey() {
        assertThat(add("key", "a")).isTrue();
        assertThat(add("key", "b")).isFalse();
        assertThat(add("other key", "c")).isTrue();
        assertThat(waiting()).isEqualTo(2);
        transaction().executeWithoutResult(status -> {
            join("d", "third key");
            status.setRollbackOnly();
        });
        assertThat(add("third key", "e")).isTrue();
        start(engine(), this::remove);
        next();
        until(() -> waiting() == 0);
        assertThat(add("key", "a")).isTrue();
    }

    @Test
    void aRunningCallRunsOnceMoreIfAnotherOneOfItsKeyIsNotStored() {
        AtomicInteger runs = new AtomicInteger();
        start(engine(), lease -> {
            if (runs.incrementAndGet() == 1) {
                assertThat(add("key", "b")).isFalse();
                assertThat(change(lease::remove)).isFalse();
                write(() -> lease.release(bytes("again"), MAIL, now()));
            } else {
                remove(lease);
            }
        });
        assertThat(add("key", "a")).isTrue();
        engine().wake("default", now());
        next();
        next();
        until(() -> waiting() == 0);
        assertThat(add("key", "c")).isTrue();
    }

    @Test
    void aRunningCallThatFailsRunsOnceMoreToo() {
        AtomicInteger runs = new AtomicInteger();
        start(engine(), lease -> {
            if (runs.incrementAndGet() == 1) {
                assertThat(add("key", "b")).isFalse();
                assertThat(change(() -> lease.die(letter("a")))).isFalse();
                write(() -> lease.release(bytes("again"), MAIL, now()));
            } else {
                assertThat(change(() -> lease.die(letter("a")))).isTrue();
            }
        });
        assertThat(add("key", "a")).isTrue();
        engine().wake("default", now());
        next();
        next();
        until(() -> status("a") == State.DEAD);
        assertThat(waiting()).isZero();
        assertThat(add("key", "c")).isTrue();
    }

    /** A later run reads what the transaction of the other call has changed. */
    @Test
    void aCallThatRunsLaterAnywayDoesNotRunOnceMore() {
        AtomicInteger runs = new AtomicInteger();
        start(engine(), lease -> {
            switch (runs.incrementAndGet()) {
                case 1 -> {
                    assertThat(add("key", "b")).isFalse();
                    write(() -> lease.release(bytes("released"), MAIL, now()));
                }
                case 2 -> {
                    assertThat(add("key", "c")).isFalse();
                    write(() -> lease.postpone("", null, now()));
                }
                default -> remove(lease);
            }
        });
        assertThat(add("key", "a")).isTrue();
        engine().wake("default", now());
        next();
        next();
        next();
        until(() -> waiting() == 0);
        assertThat(runs).hasValue(3);
    }

    @Test
    void passesOnlyCallsThatMayRunAndWaitsForTheOthers() {
        Map<String, Duration> delays = new ConcurrentHashMap<>(Map.of("bill", Duration.ZERO));
        List<String> permitted = new CopyOnWriteArrayList<>();
        add("a", now().minusSeconds(10));
        CallEngine.Label bill = new CallEngine.Label("Bills.pay", null, 0, now(), "default", "bill");
        write(() -> engine().add(null, "b", bytes("b"), bill, now()));
        start(engine(), new CallEngine.Worker() {
            @Override
            public void accept(CallLease lease) {
                remove(lease);
            }

            @Override
            public @Nullable Duration delay(String method) {
                return delays.get(method);
            }

            @Override
            public boolean enter(String lane, String id) {
                permitted.add(lane + " " + id);
                return true;
            }
        });
        assertThat(next().id()).isEqualTo("b");
        until(() -> waiting() == 1);
        delays.put("", Duration.ZERO);
        engine().wake("default", now());
        assertThat(next().id()).isEqualTo("a");
        assertThat(permitted).containsSubsequence("default a");
    }

    @Test
    void passesNoCallOfAClosedLane() {
        AtomicBoolean isOpen = new AtomicBoolean();
        start(engine(), new CallEngine.Worker() {
            @Override
            public void accept(CallLease lease) {
                remove(lease);
            }

            @Override
            public Duration closedFor(String lane) {
                return isOpen.get() ? Duration.ZERO : Duration.ofHours(1);
            }
        });
        add("a", now());
        engine().wake("default", now());
        tick();
        assertThat(waiting()).isEqualTo(1);
        isOpen.set(true);
        engine().wake("default", now());
        assertThat(next().id()).isEqualTo("a");
    }

    @Test
    void listsCallsByDueTimeAndById() {
        CallStore ledger = store();
        for (int i = 1; i <= 5; i++) {
            add("call-" + i, now().plusSeconds(600 - i));
        }
        List<String> found = new ArrayList<>();
        String cursor = null;
        do {
            StoredCalls.Page page = ledger.list(StoredCalls.Filter.of(State.WAITING, State.RUNNING), cursor, 2);
            page.calls().forEach(call -> found.add(call.id()));
            cursor = page.next();
        } while (cursor != null);
        assertThat(found).containsExactly("call-5", "call-4", "call-3", "call-2", "call-1");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> ledger.list(StoredCalls.Filter.of(State.WAITING, State.RUNNING), "none", 2));
        assertThat(ledger.openIds(StoredCalls.Filter.of(State.WAITING, State.RUNNING), "call-2", 2))
                .containsExactly("call-3", "call-4");
    }

    @Test
    void findsCallsByFilter() {
        CallStore ledger = store();
        Instant start = Instant.ofEpochMilli(now().toEpochMilli());
        add("a", now().plusSeconds(600));
        CallEngine.Label failed = new CallEngine.Label("Bills.pay", "java.io.IOException", 2, start, "bills", "");
        write(() -> engine().add(null, "b", bytes("content of b"), failed, now().plusSeconds(60)));
        for (StoredCalls.Filter filter : List.of(
                new StoredCalls.Filter(Set.of(State.WAITING, State.RUNNING), "Bills.pay", null, null, null, null, null),
                new StoredCalls.Filter(
                        Set.of(State.WAITING, State.RUNNING), null, "java.io.IOException", null, null, null, null),
                new StoredCalls.Filter(Set.of(State.WAITING, State.RUNNING), null, null, "bills", null, null, null),
                new StoredCalls.Filter(Set.of(State.WAITING, State.RUNNING), null, null, null, "ioexc", null, null),
                new StoredCalls.Filter(
                        Set.of(State.WAITING, State.RUNNING), null, null, null, null, start, start.plusMillis(1)))) {
            assertThat(ledger.list(filter, null, 10).calls()).singleElement().satisfies(call -> {
                assertThat(call.id()).isEqualTo("b");
                assertThat(call.attempts()).isEqualTo(2);
                assertThat(call.startedAt()).isEqualTo(start);
                assertThat(call.state()).isEqualTo(State.WAITING);
            });
            assertThat(ledger.count(filter)).isEqualTo(1);
        }
        assertThat(ledger.count(StoredCalls.Filter.of(State.WAITING).withTimes(null, start)))
                .isEqualTo(1);
        assertThat(ledger.groups(StoredCalls.Filter.of(State.WAITING, State.RUNNING), 10))
                .extracting(StoredCalls.Group::name, StoredCalls.Group::count)
                .containsExactlyInAnyOrder(tuple("Mails.send", 1L), tuple("Bills.pay", 1L));
        CallStore.Found found = ledger.find("b").orElseThrow();
        assertThat(ledger.content("b", found.version(), 100)).isEqualTo(bytes("content of b"));
        assertThat(ledger.content("b", found.version(), 3)).isNull();
        assertThat(ledger.content("b", found.version() + 1, 100)).isNull();
        assertThat(ledger.find("unknown")).isEmpty();
    }

    @Test
    void changesWaitingCallsThatAreAsTheyWereFound() {
        CallStore ledger = store();
        add("a", now().plusSeconds(600));
        add("b", now().plusSeconds(600));
        CallStore.Found before = ledger.find("a").orElseThrow();
        assertThat(change(() -> ledger.die(before, letter("a")))).isTrue();
        assertThat(change(() -> ledger.die(before, letter("a")))).isFalse();
        assertThat(change(() -> ledger.hasten("a", now(), null) != null)).isFalse();
        AtomicBoolean changed = new AtomicBoolean();
        start(engine(), lease -> {
            CallStore.Found running = ledger.find(lease.id()).orElseThrow();
            changed.set(running.state() != State.RUNNING
                    || change(() -> ledger.die(running, letter(lease.id())))
                    || change(() -> ledger.hasten(lease.id(), now(), null) != null));
            remove(lease);
        });
        Instant due = now();
        assertThat(change(() -> ledger.hasten("b", due, null) != null)).isTrue();
        engine().wake("default", due);
        assertThat(next().id()).isEqualTo("b");
        assertThat(changed).isFalse();
    }

    @Test
    void aCallThatDiesIsResentAndEnds() {
        List<String> contents = new CopyOnWriteArrayList<>();
        start(engine(), lease -> {
            contents.add(content(lease));
            write(() -> {
                if (contents.size() == 1) {
                    lease.die(letter(lease.id()));
                } else {
                    lease.end(action(What.RESOLVED));
                }
            });
        });
        add("a", now());
        engine().wake("default", now());
        next();
        until(() -> status("a") == State.DEAD);
        assertThat(waiting()).isZero();
        assertThat(store().find("a").orElseThrow().state()).isEqualTo(State.DEAD);
        assertThat(resend("b")).isFalse();

        assertThat(resend("a")).isTrue();
        assertThat(resend("a")).isFalse();
        engine().wake("default", now());
        next();
        until(() -> status("a") == State.RESOLVED);

        assertThat(contents).containsExactly("content of a", "resent");
        assertThat(resend("a")).isFalse();
        assertThat(waiting()).isZero();
    }

    @Test
    void callsWithAnOrderKeyRunOneAfterAnother() {
        CallStore ledger = store();
        addInOrder("key", "a");
        addInOrder("key", "b");
        addInOrder("key", "c");
        addInOrder("other", "d");
        assertThat(ledger.blocked().keys()).isOne();
        assertThat(ledger.blocked().calls()).isEqualTo(2);
        assertThat(ledger.waitsFor("c")).isEqualTo("a");
        assertThat(ledger.list(StoredCalls.Filter.of(State.BLOCKED), null, 10).calls())
                .extracting(StoredCalls.Summary::id, StoredCalls.Summary::state)
                .containsExactlyInAnyOrder(tuple("b", State.BLOCKED), tuple("c", State.BLOCKED));
        CallStore.Found blocked = ledger.find("b").orElseThrow();
        assertThat(blocked.state()).isEqualTo(State.BLOCKED);
        assertThat(change(() -> ledger.hasten("b", now(), null) != null)).isFalse();
        assertThat(waiting()).isEqualTo(2);

        start(engine(), lease -> {
            switch (lease.id()) {
                case "a" -> change(() -> lease.die(letter("a")));
                case "b" ->
                    change(() -> {
                        boolean died = lease.die(letter("b"));
                        ledger.leaveOrder("b");
                        return died;
                    });
                default -> change(lease::remove);
            }
        });
        assertThat(List.of(next().id(), next().id())).containsExactlyInAnyOrder("a", "d");
        until(() -> status("a") == State.DEAD && waiting() == 0);
        assertThat(ledger.blocked().calls()).isEqualTo(2);
        assertThat(change(() -> ledger.discard("a", action(What.DISCARDED)))).isTrue();
        engine().wake("default", now());
        assertThat(List.of(next().id(), next().id())).containsExactly("b", "c");
        until(() -> waiting() == 0);
        assertThat(ledger.blocked().keys()).isZero();
    }

    private void addInOrder(String key, String id) {
        change(() -> {
            engine().addInOrder(key, id, bytes("content of " + id), MAIL, now());
            return true;
        });
    }

    private boolean resend(String id) {
        return change(() -> store().resend(action(What.RESENT), id, bytes("resent"), MAIL, now(), null));
    }

    private State status(String id) {
        return store().died(id).map(DeadLetter::state).orElse(State.DISCARDED);
    }

    private StoredCall.Action action(What what) {
        return new StoredCall.Action(Instant.ofEpochMilli(now().toEpochMilli()), null, what, null);
    }

    private DeadLetter letter(String id) {
        Instant now = Instant.ofEpochMilli(now().toEpochMilli());
        return new DeadLetter(
                id,
                "Mails.send",
                "com.acme.Mails#send()",
                null,
                "[]",
                null,
                null,
                null,
                null,
                List.of(),
                1,
                StopReason.EXHAUSTED,
                now,
                now,
                State.DEAD,
                "default",
                null,
                null,
                List.of());
    }
}

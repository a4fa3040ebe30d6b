// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryContext;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.durable.autoconfigure.RetryDeadLetterAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.OnExhaustion;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A dead letter that is sent again is held while its call runs; whoever does not extend the hold loses it. */
class HoldTests {

    private final Time time = new Time();

    private final InMemoryDeadLetterStore store = new InMemoryDeadLetterStore(10, time);

    private final ExtensionErrors errors = new ExtensionErrors();

    private final Works works = new Works();

    private void run(DeadLetterStore used, Consumer<DeadLetterOffice> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDeadLetterAutoConfiguration.class))
                .withBean(DeadLetterStore.class, () -> used)
                .withBean("works", Works.class, () -> works)
                .run(context -> {
                    store.put(ReplayTests.letter("id", Works.class.getName() + "#work()", "[]"));
                    test.accept(new DeadLetterOffice(
                            new DeadLetterOffice.Parts(
                                    () -> used,
                                    context.getBean(StoredMethods.class),
                                    context.getBean(StoredArguments.class),
                                    new Surroundings(null, errors),
                                    errors,
                                    event -> {},
                                    () -> null),
                            Duration.ofSeconds(1),
                            new ReplayThreads(Runnable::run, Runnable::run),
                            () -> false,
                            time,
                            time.timer));
                });
    }

    private DeadLetterStatus status() {
        return store.find("id").orElseThrow().status();
    }

    @Test
    void aCallThatTakesLongIsHeldByHeartbeats() {
        List<Boolean> held = new ArrayList<>();
        works.work = () -> {
            for (int i = 0; i < 30; i++) {
                time.advance(ReplayTimer.BEAT);
                held.add(RetryContext.current().leaseValid() && status() == DeadLetterStatus.RETRYING);
            }
        };
        run(store, office -> {
            assertThat(office.letters().retry("id")).isTrue();

            // 300 s, of which a hold lasts 40
            assertThat(held).hasSize(30).containsOnly(true);
            assertThat(status()).isEqualTo(DeadLetterStatus.RESOLVED);
        });
    }

    @Test
    void aFrozenProcessHoldsTheDeadLetterAgainUnlessItWasTaken() {
        List<Boolean> held = new ArrayList<>();
        works.work = () -> {
            held.add(RetryContext.current().leaseValid());
            time.freeze(Duration.ofSeconds(41));
            held.add(RetryContext.current().leaseValid());
            assertThat(status()).isEqualTo(DeadLetterStatus.DEAD);
            time.advance(ReplayTimer.BEAT);
            held.add(RetryContext.current().leaseValid());
            assertThat(status()).isEqualTo(DeadLetterStatus.RETRYING);
        };
        run(store, office -> {
            office.letters().retry("id");

            assertThat(held).containsExactly(true, false, true);
            assertThat(status()).isEqualTo(DeadLetterStatus.RESOLVED);
        });
    }

    @Test
    void aHoldThatSomebodyElseHasEndedIsLost() {
        List<Boolean> held = new ArrayList<>();
        works.work = () -> {
            time.freeze(Duration.ofSeconds(41));
            store.move("id", new DeadLetter.Action(time.instant(), "bob", DeadLetterStatus.DISCARDED, null), null);
            time.advance(ReplayTimer.BEAT);
            held.add(RetryContext.current().leaseValid());
        };
        run(store, office -> {
            office.letters().retry("id");

            assertThat(held).containsExactly(false);
            assertThat(status()).isEqualTo(DeadLetterStatus.DISCARDED);
        });
    }

    @Test
    void aCallThatWaitsForItsTimeIsHeldByHeartbeats() {
        run(store, office -> {
            assertThat(office.letters().retry("id", Duration.ofMinutes(5))).isTrue();
            for (int i = 0; i < 29; i++) {
                time.advance(ReplayTimer.BEAT);
                assertThat(status()).isEqualTo(DeadLetterStatus.RETRYING);
            }

            time.advance(ReplayTimer.BEAT);

            assertThat(status()).isEqualTo(DeadLetterStatus.RESOLVED);
        });
    }

    @Test
    void aCallThatWaitsForItsTimeDoesNotRunIfItsHoldIsLost() {
        List<String> ran = new ArrayList<>();
        works.work = () -> ran.add("work");
        run(store, office -> {
            assertThat(office.letters().retry("id", Duration.ofMinutes(5))).isTrue();
            time.freeze(Duration.ofSeconds(41));
            store.move("id", new DeadLetter.Action(time.instant(), "bob", DeadLetterStatus.DISCARDED, null), null);

            time.advance(Duration.ofMinutes(5));

            assertThat(ran).isEmpty();
            assertThat(status()).isEqualTo(DeadLetterStatus.DISCARDED);
            assertThat(errors.count(ExtensionErrorListener.Kind.DEAD_LETTER, "Mails.send"))
                    .isOne();
        });
    }

    @Test
    void aCallDoesNotRunWhileItIsNotKnownWhoHoldsItsDeadLetter() {
        boolean[] away = {true};
        DeadLetterStore deaf = new KeptCallsTests.Hostile(store) {
            @Override
            public boolean extend(String id, Hold hold) {
                if (away[0]) {
                    throw new IllegalStateException("no connection");
                }
                return super.extend(id, hold);
            }
        };
        List<String> ran = new ArrayList<>();
        works.work = () -> ran.add("work");
        run(deaf, office -> {
            assertThat(office.letters().retry("id", Duration.ofMinutes(5))).isTrue();
            time.advance(Duration.ofMinutes(5));
            assertThat(ran).isEmpty();

            away[0] = false;
            time.advance(ReplayTimer.BEAT);

            assertThat(ran).hasSize(1);
            assertThat(status()).isEqualTo(DeadLetterStatus.RESOLVED);
        });
    }

    @Test
    void aHoldThatCanNotBeExtendedLapses() {
        List<Boolean> held = new ArrayList<>();
        works.work = () -> {
            for (int i = 0; i < 4; i++) {
                time.advance(ReplayTimer.BEAT);
                held.add(RetryContext.current().leaseValid());
            }
        };
        DeadLetterStore deaf = new KeptCallsTests.Hostile(store) {
            @Override
            public boolean extend(String id, Hold hold) {
                throw new IllegalStateException("no connection");
            }
        };
        run(deaf, office -> {
            office.letters().retry("id");

            assertThat(held).containsExactly(true, true, true, false);
            assertThat(errors.count(ExtensionErrorListener.Kind.DEAD_LETTER, "Mails.send"))
                    .isGreaterThanOrEqualTo(3);
        });
    }

    @Test
    void theEndOfACallIsReportedAgainUntilTheStoreHasIt() {
        int[] refused = {3};
        DeadLetterStore moody = new KeptCallsTests.Hostile(store) {
            @Override
            public boolean move(String id, DeadLetter.Action action, @Nullable Hold hold) {
                if (action.what() == DeadLetterStatus.RESOLVED && refused[0]-- > 0) {
                    throw new IllegalStateException("no connection");
                }
                return super.move(id, action, hold);
            }
        };
        run(moody, office -> {
            office.letters().retry("id");
            assertThat(status()).isEqualTo(DeadLetterStatus.RETRYING);

            time.advance(ReplayTimer.BEAT);
            time.advance(ReplayTimer.BEAT);
            assertThat(status()).isEqualTo(DeadLetterStatus.RETRYING);
            time.advance(ReplayTimer.BEAT);

            assertThat(status()).isEqualTo(DeadLetterStatus.RESOLVED);
            assertThat(errors.count(ExtensionErrorListener.Kind.DEAD_LETTER, "Mails.send"))
                    .isEqualTo(3);
        });
    }

    @Test
    void whatCanWaitNoMoreWhenTheApplicationEndsIsDeadAgain() {
        run(store, office -> {
            time.closed = true;

            assertThat(office.letters().retry("id", Duration.ofDays(10))).isFalse();

            assertThat(status()).isEqualTo(DeadLetterStatus.DEAD);
        });
    }

    static class Works {

        Runnable work = () -> {};

        @RetryOn(value = IOException.class, maxAttempts = 1, onExhaustion = OnExhaustion.DEAD_LETTER)
        public void work() {
            work.run();
        }
    }

    /** Time that stands still unless a test moves it; what is due is done then. */
    private static final class Time extends Clock {

        private Instant now = Instant.parse("2026-01-01T00:00:00Z");

        private record Due(Instant at, Runnable task) {}

        private final List<Due> tasks = new ArrayList<>();

        private boolean closed;

        private final ReplayTimer timer = new ReplayTimer() {

            @Override
            long nanos() {
                return now.toEpochMilli() * 1_000_000;
            }

            @Override
            boolean after(Duration delay, Runnable task) {
                return !closed && tasks.add(new Due(now.plus(delay), task));
            }
        };

        void advance(Duration duration) {
            now = now.plus(duration);
            List<Due> due =
                    tasks.stream().filter(task -> !task.at().isAfter(now)).toList();
            tasks.removeAll(due);
            due.forEach(each -> each.task().run());
        }

        /** The process gets no time meanwhile. */
        void freeze(Duration duration) {
            now = now.plus(duration);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.autoconfigure.RetryDeadLetterAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
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
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Two nodes run the call of one dead letter: only the node that holds the dead letter records a result. */
class ReplayFencingTests {

    private final ShiftedClock clock = new ShiftedClock();

    private final InMemoryDeadLetterStore store = new InMemoryDeadLetterStore(10, clock);

    private final Orders slow = new Orders();

    private final Orders other = new Orders();

    private ApplicationContextRunner node(Orders orders) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDeadLetterAutoConfiguration.class))
                .withBean(DeadLetterStore.class, () -> store)
                .withBean("orders", Orders.class, () -> orders);
    }

    @BeforeEach
    void putALetter() {
        store.put(ReplayTests.letter("id", Orders.class.getName() + "#place()", "[]"));
        other.go.countDown();
    }

    private interface Nodes {

        void test(ApplicationContext slow, ApplicationContext other);
    }

    private void run(Nodes nodes) {
        node(slow).run(first -> node(other).run(second -> nodes.test(first, second)));
    }

    private static DeadLetters letters(ApplicationContext node) {
        return node.getBean(DeadLetters.class);
    }

    private DeadLetter letter() {
        return store.find("id").orElseThrow();
    }

    /** Both nodes run the call: the hold of the first one expires while its call runs. */
    private void runByBoth(ApplicationContext first, ApplicationContext second) {
        assertThat(letters(first).retry("id")).isTrue();
        await().until(() -> slow.started.getCount() == 0);
        clock.shift = Duration.ofSeconds(60);
        assertThat(letters(second).retry("id")).isTrue();
        clock.shift = Duration.ZERO;
    }

    private void endSlowCall(ApplicationContext first) {
        slow.go.countDown();
        await().until(() -> faults(first, "Mails.send") > 0);
    }

    private static long faults(ApplicationContext node, String name) {
        return node.getBean(ExtensionErrors.class).count(ExtensionErrorListener.Kind.DEAD_LETTER, name);
    }

    @Test
    void aFailureUnderALostHoldDoesNotReplaceSuccess() {
        slow.down = true;
        run((first, second) -> {
            runByBoth(first, second);
            await().until(() -> letter().status() == DeadLetterStatus.RESOLVED);
            DeadLetter resolved = letter();

            endSlowCall(first);

            assertThat(letter()).isEqualTo(resolved);
        });
    }

    @Test
    void aSuccessUnderALostHoldDoesNotEndTheCallOfTheHolder() {
        CountDownLatch running = new CountDownLatch(1);
        other.go = running;
        run((first, second) -> {
            runByBoth(first, second);

            endSlowCall(first);
            assertThat(letter().status()).isEqualTo(DeadLetterStatus.RETRYING);

            running.countDown();
            await().until(() -> letter().status() == DeadLetterStatus.RESOLVED);
            assertThat(letter().actions()).hasSize(3);
        });
    }

    @Test
    void aFailureUnderALostHoldDoesNotEndTheCallOfTheHolder() {
        slow.down = true;
        CountDownLatch running = new CountDownLatch(1);
        other.go = running;
        run((first, second) -> {
            runByBoth(first, second);

            endSlowCall(first);
            assertThat(letter().status()).isEqualTo(DeadLetterStatus.RETRYING);

            running.countDown();
            await().until(() -> letter().status() == DeadLetterStatus.RESOLVED);
            assertThat(letter().failures()).hasSize(1);
        });
    }

    /** No heartbeat comes within the milliseconds of this test, as if the process had died. */
    @Test
    void aDelayedReplayDoesNotOutliveItsProcess() {
        run((first, second) -> {
            assertThat(letters(first).retry("id", Duration.ofDays(10))).isTrue();
            assertThat(letter().status()).isEqualTo(DeadLetterStatus.RETRYING);

            clock.shift = Duration.ofSeconds(60);

            assertThat(letter().status()).isEqualTo(DeadLetterStatus.DEAD);
            assertThat(letters(second).retry("id")).isTrue();
            await().until(() -> letter().status() == DeadLetterStatus.RESOLVED);
        });
        assertThat(slow.started.getCount()).isOne();
        assertThat(letter().status()).isEqualTo(DeadLetterStatus.RESOLVED);
    }

    @Test
    void aDeadLetterWhoseCallRunsIsNotDiscarded() {
        run((first, second) -> {
            assertThat(letters(first).retry("id")).isTrue();
            await().until(() -> slow.started.getCount() == 0);

            assertThat(letters(first).discard("id", "not needed")).isFalse();
            assertThat(letters(second).discard("id", "not needed")).isFalse();

            slow.go.countDown();
            await().until(() -> letter().status() == DeadLetterStatus.RESOLVED);
        });
    }

    @Test
    void aDeadLetterThatWasDiscardedAfterItsHoldExpiredStaysDiscarded() {
        slow.down = true;
        run((first, second) -> {
            assertThat(letters(first).retry("id")).isTrue();
            await().until(() -> slow.started.getCount() == 0);
            clock.shift = Duration.ofSeconds(60);
            assertThat(letters(second).discard("id", "not needed")).isTrue();
            clock.shift = Duration.ZERO;

            endSlowCall(first);

            assertThat(letter().status()).isEqualTo(DeadLetterStatus.DISCARDED);
        });
    }

    static class Orders {

        final CountDownLatch started = new CountDownLatch(1);

        volatile CountDownLatch go = new CountDownLatch(1);

        volatile boolean down;

        @RetryOn(value = IOException.class, maxAttempts = 1, onExhaustion = OnExhaustion.DEAD_LETTER)
        public void place() throws Exception {
            started.countDown();
            go.await();
            if (down) {
                throw new IOException("down");
            }
        }
    }

    /** The time of the system, shifted: holds expire although their process runs. */
    private static final class ShiftedClock extends Clock {

        private volatile Duration shift = Duration.ZERO;

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
            return Clock.systemUTC().instant().plus(shift);
        }
    }
}

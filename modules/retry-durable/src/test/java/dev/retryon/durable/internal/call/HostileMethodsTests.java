// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Methods that end in whatever way on a worker, or not at all: none is made for ever, and the worker continues. */
class HostileMethodsTests {

    @TempDir
    private Path folder;

    private ApplicationContextRunner application(Runnable attempt) {
        return DurableTrial.embedded(folder).withBean(Reports.class, () -> new Reports(attempt));
    }

    @ParameterizedTest
    @EnumSource
    void whateverIsThrownTheCallIsADeadLetterInTheEnd(End end) {
        application(end::reach).withPropertyValues("retryon.durable.threads=1").run(context -> {
            Reports reports = context.getBean(Reports.class);
            reports.write();

            await().until(() -> DurableTrial.stored(context) == 0);
            DeadLetter letter = DurableTrial.deadLetters(context).get(0);
            assertThat(letter.reason()).isEqualTo(end.reason);
            assertThat(letter.errorType()).isEqualTo(end.type.getName());
            assertThat(letter.attempts()).isEqualTo(end.attempts);
            assertThat(reports.attempts()).hasSize(end.attempts);
            // The only worker is as good as new.
            reports.writeWell();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context)).hasSize(1);
        });
    }

    @Test
    void aWorkerThatTheApplicationHasNotWaitedForEnds() {
        CountDownLatch gate = new CountDownLatch(1);
        AtomicReference<Thread> worker = new AtomicReference<>();
        application(() -> {
                    worker.set(Thread.currentThread());
                    awaitWhateverHappens(gate);
                })
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=500ms")
                .run(context -> {
                    context.getBean(Reports.class).write();
                    await().until(() -> worker.get() != null);
                });
        assertThat(worker.get().isAlive()).isTrue();

        gate.countDown();

        // Else it would wait for the database for ever, which was closed with the application.
        await().until(() -> !worker.get().isAlive());
        application(() -> {})
                .withPropertyValues("retryon.durable.heartbeat-interval=100ms")
                .run(context -> {
                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(context.getBean(Reports.class).attempts()).containsExactly(3);
                });
    }

    private static void awaitWhateverHappens(CountDownLatch gate) {
        while (gate.getCount() > 0) {
            try {
                gate.await();
            } catch (InterruptedException ex) {
                continue;
            }
        }
    }

    enum End {
        TOO_DEEP(StackOverflowError.class, StopReason.NOT_RETRYABLE, 2) {
            @Override
            @SuppressWarnings("InfiniteRecursion") // until the stack overflows
            void reach() {
                reach();
            }
        },
        OUT_OF_MEMORY(OutOfMemoryError.class, StopReason.NOT_RETRYABLE, 2) {
            @Override
            void reach() {
                throw new OutOfMemoryError("of the test");
            }
        },
        NO_CLASS(NoClassDefFoundError.class, StopReason.NOT_RETRYABLE, 2) {
            @Override
            void reach() {
                throw new NoClassDefFoundError("com/acme/Gone");
            }
        },
        UNSPEAKABLE(Unspeakable.class, StopReason.EXHAUSTED, 3) {
            @Override
            void reach() {
                throw new Unspeakable();
            }
        },
        INTERRUPTION(InterruptedException.class, StopReason.EXHAUSTED, 3) {
            @Override
            void reach() {
                HostileMethodsTests.<RuntimeException>sneak(new InterruptedException("of its own"));
            }
        },
        INTERRUPTED(IllegalStateException.class, StopReason.EXHAUSTED, 3) {
            @Override
            void reach() {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("was interrupted");
            }
        };

        private final Class<? extends Throwable> type;

        private final StopReason reason;

        private final int attempts;

        End(Class<? extends Throwable> type, StopReason reason, int attempts) {
            this.type = type;
            this.reason = reason;
            this.attempts = attempts;
        }

        abstract void reach();
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void sneak(Throwable error) throws X {
        throw (X) error;
    }

    /** An error that says nothing about itself. */
    static final class Unspeakable extends Error {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("in a message");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new StackOverflowError("in a stack trace");
        }

        @Override
        public void printStackTrace(PrintWriter writer) {
            throw new StackOverflowError("in a stack trace");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("in a text");
        }
    }

    static class Reports {

        private final Runnable attempt;

        private final List<Integer> attempts = new CopyOnWriteArrayList<>();

        Reports(Runnable attempt) {
            this.attempt = attempt;
        }

        List<Integer> attempts() {
            return attempts;
        }

        @RetryOn(
                exceptions = {IOException.class, Unspeakable.class},
                maxAttempts = 3)
        @Durable(ON_FAILURE)
        public void write() throws IOException {
            int number = RetryContext.current().attempt();
            attempts.add(number);
            if (number == 1) {
                throw new IOException("down");
            }
            attempt.run();
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void writeWell() {}
    }
}

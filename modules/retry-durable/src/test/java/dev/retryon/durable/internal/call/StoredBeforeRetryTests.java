// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Methods that run before the retries of stored calls. */
class StoredBeforeRetryTests {

    @TempDir
    private Path folder;

    private ApplicationContextRunner application() {
        return DurableTrial.embedded(folder).withBean(Mails.class);
    }

    @Test
    void runBeforeEachAttemptOfAWorkerThatIsARetry() {
        application().run(context -> {
            Mails mails = context.getBean(Mails.class);
            mails.send("17");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.seen())
                    .containsExactly(
                            "17 at 1", "before 2 of 17, no error", "17 at 2", "before 3 of 17, no error", "17 at 3");
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @Test
    void doNotRunBeforeTheFirstAttemptOfAnOutbox() {
        application().run(context -> {
            Mails mails = context.getBean(Mails.class);
            mails.post("17");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.seen()).containsExactly("17 at 1", "before 2 of 17, no error", "17 at 2");
        });
    }

    @Test
    void anErrorMakesADeadLetter() {
        application().run(context -> {
            Mails mails = context.getBean(Mails.class);
            mails.failing("17");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.seen()).containsExactly("17 at 1");
            DeadLetter letter = DurableTrial.deadLetters(context).get(0);
            assertThat(letter.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
            assertThat(letter.errorType()).isEqualTo(IllegalStateException.class.getName());
            assertThat(letter.errorMessage()).isEqualTo("no token");
            assertThat(letter.attempts()).isEqualTo(2);
        });
    }

    @Test
    void aDirectiveOfTheErrorApplies() {
        application().run(context -> {
            Mails mails = context.getBean(Mails.class);
            mails.discarded("17");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.seen()).containsExactly("17 at 1");
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    static class Mails {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        List<String> seen() {
            return seen;
        }

        private void attempt(String id, int up) throws IOException {
            int attempt = RetryContext.current().attempt();
            seen.add(id + " at " + attempt);
            if (attempt < up) {
                throw new IOException("down");
            }
        }

        @RetryOn(value = IOException.class, beforeRetry = "prepare")
        @Durable(ON_FAILURE)
        public void send(String id) throws IOException {
            attempt(id, 3);
        }

        @RetryOn(value = IOException.class, beforeRetry = "prepare")
        @Durable(OUTBOX)
        public void post(String id) throws IOException {
            attempt(id, 2);
        }

        void prepare(String id, IOException error) {
            seen.add("an error");
        }

        void prepare(String id, RetryContext context) {
            seen.add("before " + context.attempt() + " of " + id + (context.lastError() == null ? ", no error" : ""));
        }

        @RetryOn(value = IOException.class, beforeRetry = "fail")
        @Durable(ON_FAILURE)
        public void failing(String id) throws IOException {
            attempt(id, 9);
        }

        void fail() {
            throw new IllegalStateException("no token");
        }

        @RetryOn(value = IOException.class, beforeRetry = "discard")
        @Durable(ON_FAILURE)
        public void discarded(String id) throws IOException {
            attempt(id, 9);
        }

        void discard() {
            throw RetrySignal.discard("obsolete");
        }
    }
}

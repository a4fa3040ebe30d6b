// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.backoff.Jitter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The story that the error of a failed call carries. */
@SuppressWarnings("serial")
class RetryHistoryTests {

    private static List<RetryHistory> histories(Throwable error) {
        return Arrays.stream(error.getSuppressed())
                .filter(RetryHistory.class::isInstance)
                .map(RetryHistory.class::cast)
                .toList();
    }

    private static RetryHistory history(Throwable error) {
        assertThat(histories(error)).hasSize(1);
        return histories(error).get(0);
    }

    private static IOException down(int attempt) {
        return new IOException("down " + attempt);
    }

    @Test
    void tellsAttemptsDelaysReasonAndEarlierErrors() {
        IOException last = down(3);

        new Trial(Trial.policy().backoff("exponential").maxAttempts(3)).call(down(1), down(2), last);

        RetryHistory history = history(last);
        assertThat(history.name()).isEqualTo("trial");
        assertThat(history.attempts()).isEqualTo(3);
        assertThat(history.reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(history)
                .hasMessage("trial: 3 attempts, EXHAUSTED; waited [1s, 2s]; "
                        + "earlier errors: [java.io.IOException: down 1, java.io.IOException: down 2]");
    }

    @Test
    void tellsOfASingleAttemptBriefly() {
        IllegalStateException error = new IllegalStateException();

        new Trial(Trial.policy()).call(error);

        assertThat(history(error)).hasMessage("trial: 1 attempt, NOT_RETRYABLE");
    }

    @Test
    void tellsOfTheLatestTenOnly() {
        Trial trial = new Trial(Trial.policy().maxAttempts(14));
        Object[] errors =
                IntStream.rangeClosed(1, 14).mapToObj(RetryHistoryTests::down).toArray();

        trial.call(errors);

        assertThat(history(trial.thrown()).getMessage())
                // 13 waits and 13 errors before the last, 10 of each told
                .startsWith("trial: 14 attempts, EXHAUSTED; waited … [1s, ")
                .contains("earlier errors: … [java.io.IOException: down 4, ")
                .endsWith("java.io.IOException: down 13]");
    }

    @Test
    void showsWholeMillisecondsOfJitteredWaits() {
        Trial trial = new Trial(
                Trial.policy().delay(Duration.ofMillis(2)).jitter(Jitter.full()).maxAttempts(2),
                engine -> engine.random(() -> 0xABCD_EF01_2345_6789L));

        trial.call(down(1));

        assertThat(trial.waits()).hasSize(1).allMatch(wait -> wait.getNano() % 1_000_000 != 0);
        assertThat(history(trial.thrown())).hasMessageContaining("; waited [1ms]; ");
        assertThat(trial.events().get(0)).asString().contains("next in 1ms: ");
    }

    @Test
    void tellsOfTenInFull() {
        Trial trial = new Trial(Trial.policy().maxAttempts(11));
        Object[] errors =
                IntStream.rangeClosed(1, 11).mapToObj(RetryHistoryTests::down).toArray();

        trial.call(errors);

        assertThat(history(trial.thrown()).getMessage())
                // 10 waits and 10 errors before the last
                .startsWith("trial: 11 attempts, EXHAUSTED; waited [1s, ")
                .contains("earlier errors: [java.io.IOException: down 1, ")
                .endsWith("java.io.IOException: down 10]");
    }

    @Test
    void standsInThePrintedStackTraceWithoutOneOfItsOwn() {
        IOException error = down(1);
        new Trial(Trial.policy().maxAttempts(1)).call(error);
        StringWriter printed = new StringWriter();

        error.printStackTrace(new PrintWriter(printed));

        assertThat(printed.toString())
                .contains("Suppressed: dev.retryon.RetryHistory: trial: 1 attempt, EXHAUSTED" + System.lineSeparator());
        assertThat(history(error).getStackTrace()).isEmpty();
        assertThat(history(error).getCause()).isNull();
        assertThat(history(error).getSuppressed()).isEmpty();
    }

    @Test
    void isLeftByEveryKindOfEnd() {
        Throwable interrupted = new InterruptedException();
        Throwable signal = RetrySignal.fail("stop");
        Throwable broken = new StackOverflowError();

        new Trial(Trial.policy()).call(interrupted);
        assertThat(Thread.interrupted()).isTrue();
        new Trial(Trial.policy()).call(signal);
        new Trial(Trial.policy()).call(broken);

        assertThat(history(interrupted).reason()).isEqualTo(StopReason.INTERRUPTED);
        assertThat(history(signal).reason()).isEqualTo(StopReason.FAIL);
        assertThat(history(broken).reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void isNotLeftByCallsThatSucceed() {
        IOException error = down(1);

        assertThat(new Trial(Trial.policy()).call(error, "up").value()).isEqualTo("up");

        assertThat(error.getSuppressed()).isEmpty();
    }

    @Test
    void isLeftOnceInAnErrorThatIsThrownAgainAndAgain() {
        IOException reused = down(0);
        Trial trial = new Trial(Trial.policy().maxAttempts(3));

        trial.call(reused);
        trial.call(reused);

        assertThat(trial.thrown()).isSameAs(reused);
        assertThat(history(reused).attempts()).isEqualTo(3);
    }

    @Test
    void isLeftByTheInnermostOfNestedCalls() {
        IOException error = down(0);
        Retry inner = Retry.builder("inner", Trial.policy().maxAttempts(2).build())
                .engine(new Trial(Trial.policy()).engine)
                .build();
        Retry outer = Retry.builder("outer", Trial.policy().maxAttempts(4).build())
                .engine(new Trial(Trial.policy()).engine)
                .build();

        assertThatThrownBy(() -> outer.run(() -> inner.run(() -> {
                    throw error;
                })))
                .isSameAs(error);

        assertThat(history(error).name()).isEqualTo("inner");
        assertThat(history(error).attempts()).isEqualTo(2);
    }

    @Test
    void isThatOfTheLastCallThatEndedWithAConstantError() {
        IOException constant = down(0);
        new Trial(Trial.policy().maxAttempts(5)).call(down(1), constant);
        new Trial(Trial.policy().maxAttempts(1)).call(constant);

        assertThat(history(constant)).hasMessage("trial: 1 attempt, EXHAUSTED");
        assertThat(history(constant).attempts()).isEqualTo(1);
    }

    @Test
    void keepsNoErrorsAlive() throws Exception {
        IOException constant = down(0);
        new Trial(Trial.policy().maxAttempts(3)).call(down(1), down(2), constant);

        assertThat(Reachable.from(history(constant))).noneMatch(Throwable.class::isInstance);
    }

    @Test
    void faultsOfGatesDoNotPileUpInAConstantError() {
        IOException constant = down(0);
        Trial trial = new Trial(Trial.policy().onlyIf((error, call) -> {
            throw new IllegalStateException("gate");
        }));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            for (int call = 0; call < 100; call++) {
                trial.call(constant);
            }
            assertThat(warnings.messages()).hasSize(1);
        }

        // 10 = 9 faults + 1 history
        assertThat(constant.getSuppressed()).hasSize(10);
    }

    @Test
    void aFaultIsSuppressedOnceInAnErrorThatIsThrownAgainAndAgain() {
        IOException constant = down(0);
        IllegalStateException first = new IllegalStateException("first");
        IllegalStateException second = new IllegalStateException("second");
        Iterator<IllegalStateException> faults =
                List.of(first, first, second, second, first).iterator();
        Trial trial = new Trial(Trial.policy().onlyIf((error, call) -> {
            throw faults.next();
        }));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            while (faults.hasNext()) {
                trial.call(constant);
            }
        }

        assertThat(constant.getSuppressed())
                .filteredOn(suppressed -> !(suppressed instanceof RetryHistory))
                .containsExactly(first, second);
    }

    @Test
    void isLeftOnceEvenIfManyCallsEndWithOneErrorAtTheSameTime() throws Exception {
        int threads = 16;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            Retry retry = Retry.of("shared", Trial.policy().maxAttempts(1).build());
            for (int round = 0; round < 200; round++) {
                IOException shared = down(round);
                CyclicBarrier together = new CyclicBarrier(threads);
                Callable<RetryResult<Object>> call = () -> {
                    together.await();
                    return retry.capture(() -> {
                        throw shared;
                    });
                };

                executor.invokeAll(
                        IntStream.range(0, threads).mapToObj(i -> call).toList());

                assertThat(histories(shared)).hasSize(1);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void isNotLeftInErrorsThatCanNotCarryIt() {
        class Closed extends IOException {
            @Override
            public synchronized Throwable fillInStackTrace() {
                return this;
            }
        }
        class Unsuppressed extends RuntimeException {
            Unsuppressed() {
                super("no room", null, false, true);
            }
        }
        Unsuppressed full = new Unsuppressed();

        assertThat(new Trial(Trial.policy().retryOn(Unsuppressed.class))
                        .call(full)
                        .thrown())
                .isSameAs(full);
        assertThat(full.getSuppressed()).isEmpty();
        Closed stackless = new Closed();
        new Trial(Trial.policy()).call(stackless);
        assertThat(histories(stackless)).hasSize(1);
    }

    @Test
    void leavesAloneWhatElseIsSuppressed() {
        IOException error = down(1);
        IOException closing = new IOException("could not close");
        error.addSuppressed(closing);

        new Trial(Trial.policy()).call(error);

        assertThat(error.getSuppressed()).hasSize(2).contains(closing);
    }

    @Test
    void survivesSerialization() throws Exception {
        // Earlier errors need not be serializable for that.
        class Local extends IOException {
            final Object attached = new Object();
        }
        IOException last = down(2);
        new Trial(Trial.policy().maxAttempts(2)).call(new Local(), last);

        RetryHistory copy = history(copy(last));

        assertThat(copy)
                .hasMessage(
                        "trial: 2 attempts, EXHAUSTED; waited [1s]; earlier errors: [" + Local.class.getName() + "]");
        assertThat(copy.name()).isEqualTo("trial");
        assertThat(copy.attempts()).isEqualTo(2);
        assertThat(copy.reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    private static Throwable copy(Throwable error) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(error);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (Throwable) in.readObject();
        }
    }

    @Test
    void isPrintedEvenIfAnEarlierErrorCannotBe() {
        class Speechless extends IOException {
            @Override
            public String getMessage() {
                throw new IllegalStateException("speechless");
            }
        }
        IOException last = down(2);

        new Trial(Trial.policy().maxAttempts(2)).call(new Speechless(), last);

        assertThat(history(last).getMessage()).endsWith("earlier errors: [" + Speechless.class.getName() + "]");
    }
}

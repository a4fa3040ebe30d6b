// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attempt after attempt: what callers get, and what the loop counts. */
class RetryLoopTests {

    private final VirtualTime time = new VirtualTime();

    private final AtomicInteger attempts = new AtomicInteger();

    private Retry retry(RetryPolicyBuilder policy) {
        return Retry.builder("catalogue", policy.build())
                .engine(time.engine().build())
                .build();
    }

    // What callers get

    @Test
    void aCallThatSucceedsAtOnceIsMadeOnce() {
        String value = retry(Trial.policy()).call(() -> "value " + attempts.incrementAndGet());

        assertThat(value).isEqualTo("value 1");
        assertThat(time.waits()).isEmpty();
    }

    @Test
    void theValueOfTheAttemptThatSucceedsIsReturned() throws IOException {
        String value = retry(Trial.policy()).call(() -> {
            if (attempts.incrementAndGet() < 3) {
                throw new IOException("down");
            }
            return "value " + attempts;
        });

        assertThat(value).isEqualTo("value 3");
        assertThat(time.waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));
    }

    @Test
    void nullIsAValue() {
        assertThat(retry(Trial.policy()).<Object, RuntimeException>call(() -> null))
                .isNull();
    }

    @Test
    void aCallThatReturnsNothingIsRetriedToo() throws IOException {
        retry(Trial.policy()).run(() -> {
            if (attempts.incrementAndGet() < 2) {
                throw new IOException("down");
            }
        });

        assertThat(attempts).hasValue(2);
    }

    @Test
    void theCheckedExceptionIsThatOfTheCall() {
        IOException error = new IOException("down");
        try {
            // Compiles only because the exception's type is carried through.
            retry(Trial.policy()).run(() -> {
                throw error;
            });
        } catch (IOException ex) {
            assertThat(ex).isSameAs(error);
            return;
        }
        throw new AssertionError("nothing was thrown");
    }

    @Test
    void theLastAttemptsOwnExceptionIsThrown() {
        List<IOException> thrown = new ArrayList<>();

        Throwable caught =
                catchThrowable(() -> retry(Trial.policy().maxAttempts(3)).call(() -> {
                    thrown.add(new IOException("down " + thrown.size()));
                    throw thrown.get(thrown.size() - 1);
                }));

        assertThat(thrown).hasSize(3);
        assertThat(caught).isSameAs(thrown.get(2));
    }

    @Test
    void errorsAreThrownAsTheyAre() {
        AssertionError error = new AssertionError("broken");

        assertThat(catchThrowable(() -> retry(Trial.policy()).run(() -> {
                    throw error;
                })))
                .isSameAs(error);
    }

    @Test
    void anOperationIsGivenItsSubjectAndTheNumberOfTheAttempt() throws Throwable {
        List<String> seen = new ArrayList<>();

        String value = retry(Trial.policy()).call("subject", (subject, attempt) -> {
            seen.add(subject + " " + attempt);
            if (attempt < 3) {
                throw new IOException("down");
            }
            return "done";
        });

        assertThat(value).isEqualTo("done");
        assertThat(seen).containsExactly("subject 1", "subject 2", "subject 3");
    }

    // How long it continues

    @Test
    @Timeout(60)
    void untilStoppedGoesOnUntilSomethingStopsIt() {
        RetryResult<Object> result = retry(Trial.policy()
                        .backoff("none")
                        .maxAttempts(Integer.MAX_VALUE)
                        .unless((error, call) -> call.attempt() == 100_000))
                .capture(() -> {
                    attempts.incrementAndGet();
                    throw new IOException("down");
                });

        assertThat(attempts).hasValue(100_000);
        assertThat(result.attempts()).isEqualTo(100_000);
        assertThat(result.stopReason()).isEqualTo(StopReason.REJECTED);
    }

    @Test
    void onlyTheLatestErrorsAndDelaysAreKept() {
        RetryResult<Object> result = retry(Trial.policy()
                        .backoff((retry, base, previous) -> Duration.ofNanos(retry))
                        .maxAttempts(2501))
                .capture(() -> {
                    throw new IOException("down " + attempts.incrementAndGet());
                });

        assertThat(result.attempts()).isEqualTo(2501);
        // 2492 = 2501 − 10 + 1; of 2500 delays 1501 is the oldest that is kept
        assertThat(result.errors())
                .hasSize(10)
                .extracting(Throwable::getMessage)
                .startsWith("down 2492")
                .endsWith("down 2501");
        assertThat(result.delays())
                .hasSize(1000)
                .startsWith(Duration.ofNanos(1501))
                .endsWith(Duration.ofNanos(2500));
    }

    // Who is counted

    @Test
    void callsThatSucceedAtOnceAreCountedIfAskedFor() {
        LongAdder successes = new LongAdder();
        RetryBuilder builder = Retry.builder(
                        "counted",
                        Trial.policy()
                                .retryIf((value, call) -> "pending".equals(value))
                                .build())
                .engine(time.engine().build());
        Retry retry = builder.countSuccesses(successes).build();

        retry.call(() -> "up");
        retry.capture(() -> "up");
        assertThat(successes.sum()).isEqualTo(2);

        retry.capture(() -> attempts.incrementAndGet() < 3 ? "pending" : "up");
        retry.capture(() -> {
            throw new IOException("down");
        });
        assertThat(successes.sum()).as("not those that were retried or failed").isEqualTo(2);
    }

    @Test
    void callsThatWaitAreCounted() {
        List<Long> waiting = new ArrayList<>();
        Retry[] retry = new Retry[1];
        retry[0] = Retry.builder("busy", Trial.policy().maxAttempts(3).build())
                .engine(RetryEngine.builder()
                        .time(Times.sleeping(delay -> {
                            waiting.add(retry[0].waiting());
                            if (waiting.size() == 1) {
                                // Another call of the same retry, made while this one waits.
                                retry[0].capture(() -> {
                                    throw new IOException("down");
                                });
                            }
                        }))
                        .build())
                .build();

        retry[0].capture(() -> {
            throw new IOException("down");
        });

        // The inner call waits twice beside the outer one, which then waits once more.
        assertThat(waiting).containsExactly(1L, 2L, 2L, 1L);
        assertThat(retry[0].waiting()).isZero();
    }

    @Test
    void aCallThatIsInterruptedDoesNotWaitAnyLonger() {
        Retry retry = Retry.builder("busy", Trial.policy().build())
                .engine(RetryEngine.builder()
                        .time(Times.sleeping(delay -> {
                            throw new InterruptedException();
                        }))
                        .build())
                .build();

        retry.capture(() -> {
            throw new IOException("down");
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void retriesAtOnceDoNotSleep() throws IOException {
        retry(Trial.policy().backoff("none")).call(() -> {
            if (attempts.incrementAndGet() < 4) {
                throw new IOException("down");
            }
            return "up";
        });

        assertThat(attempts).hasValue(4);
        assertThat(time.waits()).isEmpty();
    }

    // Many at once

    @Test
    void oneRetryServesManyThreadsAtOnce() throws Exception {
        int threads = 64;
        Retry retry = retry(Trial.policy());
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<String>> calls = IntStream.range(0, threads)
                    .<Callable<String>>mapToObj(number -> () -> {
                        start.await();
                        Set<String> ids = new HashSet<>();
                        int[] attempt = new int[1];
                        RetryResult<String> result = retry.capture(() -> {
                            RetryContext context = RetryContext.current();
                            ids.add(context.callId());
                            assertThat(context.attempt()).isEqualTo(++attempt[0]);
                            assertThat(context.attributes().putIfAbsent("number", number))
                                    .isIn(null, number);
                            if (attempt[0] < 4) {
                                throw new IOException("down " + number);
                            }
                            return "up " + number;
                        });
                        assertThat(ids).hasSize(1);
                        assertThat(result.errors())
                                .extracting(Throwable::getMessage)
                                .containsExactly("down " + number, "down " + number, "down " + number);
                        assertThat(result.value()).isEqualTo("up " + number);
                        return ids.iterator().next();
                    })
                    .toList();

            Set<String> ids = new HashSet<>();
            for (Future<String> call : executor.invokeAll(calls)) {
                ids.add(call.get());
            }

            assertThat(ids).as("every call has an id of its own").hasSize(threads);
            // 192 = 64 · 3
            assertThat(time.waits()).hasSize(192);
            assertThat(retry.waiting()).isZero();
        } finally {
            executor.shutdownNow();
        }
    }

    // Building

    @Test
    void aRetryTellsItsNameAndPolicy() {
        RetryPolicy policy = Trial.policy().build();
        Retry retry = Retry.of("catalogue", policy);

        assertThat(retry.name()).isEqualTo("catalogue");
        assertThat(retry.policy()).isSameAs(policy);
        assertThat(retry).hasToString("catalogue: " + policy);
        assertThat(retry.call(() -> "up")).isEqualTo("up");
    }

    @Test
    void aRetryMayGoOnWithAnotherPolicy() throws IOException {
        LongAdder successes = new LongAdder();
        RetryBuilder builder = Retry.builder(
                        "catalogue", Trial.policy().maxAttempts(2).build())
                .engine(time.engine().build())
                .uncheckedRecovery((subject, thrown, context) -> "recovered after " + context.attempt());
        Retry retry = builder.countSuccesses(successes).timed(true).build();

        Retry other = retry.toBuilder(Trial.policy().maxAttempts(4).build()).build();

        assertThat(other.name()).isEqualTo("catalogue");
        assertThat(other.<String, IOException>call(() -> {
                    throw new IOException("down");
                }))
                .isEqualTo("recovered after 4");
        assertThat(time.waits()).hasSize(3);
        other.call(() -> "up");
        assertThat(successes.sum()).isEqualTo(1);
    }

    @Test
    void aRetryNeedsANameAndAPolicy() {
        RetryPolicy policy = Trial.policy().build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Retry.of(" ", policy))
                .withMessageContaining("must not be blank");
        assertThatNullPointerException().isThrownBy(() -> Retry.of("catalogue", null));
        assertThatNullPointerException()
                .isThrownBy(() -> Retry.builder("catalogue", policy).engine(null));
        assertThatNullPointerException()
                .isThrownBy(() -> Retry.builder("catalogue", policy).uncheckedRecovery(null));
    }

    @Test
    void theSharedEngineCanNotBeClosed() {
        RetryEngine.shared().close();

        RetryResult<Object> result = Retry.of(
                        "catalogue",
                        Trial.policy().backoff("none").maxAttempts(2).build())
                .capture(() -> {
                    throw new IOException("down");
                });

        assertThat(result.stopReason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @Test
    void onlyTheDeclaredExceptionReachesTheCompiler() {
        // A call that throws nothing checked needs no try, one that does is seen to.
        assertThat(retry(Trial.policy()).call(() -> 42)).isEqualTo(42);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> retry(Trial.policy()).<Integer, IOException>call(() -> {
                    throw new IOException("down");
                }));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Listeners, deciders and resolvers that are looked up when the first of them is needed. */
class LaterParticipantsTests {

    private static final IOException DOWN = new IOException("down");

    private final VirtualTime time = new VirtualTime();

    private final List<String> heard = new ArrayList<>();

    private final AtomicInteger lookUps = new AtomicInteger();

    @Test
    void nobodyIsLookedUpBeforeTheFirstFailureAndNobodyTwice() throws Exception {
        Retry retry = retry(time.engine().listeners(() -> {
            lookUps.incrementAndGet();
            return List.of(named("later"));
        }));

        retry.call(() -> "up");
        assertThat(lookUps).hasValue(0);
        retry.capture(LaterParticipantsTests::fail);
        retry.capture(LaterParticipantsTests::fail);

        assertThat(lookUps).hasValue(1);
        assertThat(heard).containsExactly("later", "later", "later", "later");
    }

    @Test
    void theyComeInTheOrderInWhichTheyWereAdded() {
        retry(time.engine()
                        .listener(named("first"))
                        .listeners(() -> List.of(named("second"), named("third")))
                        .listener(named("fourth")))
                .capture(LaterParticipantsTests::fail);

        assertThat(heard).startsWith("first", "second", "third", "fourth");
    }

    @Test
    void listenersThatCantBeLookedUpChangeNothingAndAreLookedUpAgain() {
        IllegalStateException fault = new IllegalStateException("not yet");
        AtomicInteger ready = new AtomicInteger();
        Retry retry = retry(time.engine().listeners(() -> {
            if (ready.get() == 0) {
                throw fault;
            }
            return List.of(named("later"));
        }));

        try (LoggedWarnings warnings = new LoggedWarnings()) {
            RetryResult<Object> result = retry.capture(LaterParticipantsTests::fail);
            assertThat(result.attempts()).isEqualTo(2);
            assertThat(result.error()).isSameAs(DOWN);
            assertThat(warnings.causes()).isNotEmpty().containsOnly(fault);
        }
        ready.set(1);
        retry.capture(LaterParticipantsTests::fail);

        assertThat(heard).containsExactly("later", "later");
    }

    @Test
    void decidersThatCantBeLookedUpEndTheCallAsOneThatThrows() {
        IllegalStateException fault = new IllegalStateException("not yet");
        IOException down = new IOException("down");

        RetryResult<Object> result = retry(time.engine().deciders(() -> {
                    throw fault;
                }))
                .capture(() -> {
                    throw down;
                });

        assertThat(result.stopReason()).isEqualTo(StopReason.REJECTED);
        assertThat(result.error()).isSameAs(down);
        assertThat(down.getSuppressed()).contains(fault);
    }

    @Test
    void decidersAndResolversAreAskedAsThoseThatAreThere() {
        Retry refusing = retry(time.engine()
                .deciders(() -> List.of(new RetryDecider() {
                    @Override
                    public boolean shouldRetry(RetryContext context, Throwable error) {
                        return false;
                    }
                })));
        assertThat(refusing.capture(LaterParticipantsTests::fail).stopReason()).isEqualTo(StopReason.REJECTED);

        Retry coded = Retry.builder(
                        "later",
                        Trial.policy().nonRetryableErrors("shop.closed").build())
                .engine(time.engine()
                        .hintResolvers(() -> List.of((error, call) -> RetryHint.ofErrorCode("shop.closed")))
                        .build())
                .build();
        assertThat(coded.capture(LaterParticipantsTests::fail).stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);

        Retry waiting = retry(time.engine()
                .hintResolvers(() -> List.of((error, call) -> RetryHint.ofRetryAfter(Duration.ofSeconds(7)))));
        assertThat(waiting.capture(LaterParticipantsTests::fail).delays()).containsExactly(Duration.ofSeconds(7));
    }

    @Test
    void threadsThatLookUpAtTheSameTimeHaveTheSameListeners() throws Exception {
        CompletableFuture<Void> firstLooks = new CompletableFuture<>();
        CompletableFuture<Void> secondHasFailed = new CompletableFuture<>();
        Retry retry = retry(time.engine().listeners(() -> {
            if (lookUps.incrementAndGet() > 1) {
                return List.of(named("one"));
            }
            firstLooks.complete(null);
            secondHasFailed.join();
            return List.of(named("another"));
        }));

        CompletableFuture<?> first = CompletableFuture.runAsync(() -> retry.capture(LaterParticipantsTests::fail));
        firstLooks.get(1, TimeUnit.MINUTES);
        retry.capture(LaterParticipantsTests::fail);
        secondHasFailed.complete(null);
        first.get(1, TimeUnit.MINUTES);

        assertThat(heard).containsExactly("one", "one", "one", "one");
    }

    private static Retry retry(RetryEngineBuilder engine) {
        return Retry.builder("later", Trial.policy().maxAttempts(2).build())
                .engine(engine.build())
                .build();
    }

    private RetryListener named(String name) {
        return event -> heard.add(name);
    }

    private static Object fail() throws IOException {
        throw DOWN;
    }
}

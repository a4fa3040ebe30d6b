// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Recovery methods of methods whose result comes later: they return what the method returns. */
@Timeout(60)
class DeferredRecoveryTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean(Heard.class)
            .withBean(Stock.class);

    private void run(BiConsumer<Stock, Heard> test) {
        runner.run(context -> test.accept(context.getBean(Stock.class), context.getBean(Heard.class)));
    }

    @Test
    void subscribesToTheMonoOfTheRecovery() {
        run((stock, heard) -> {
            assertThat(stock.mono()
                            .contextWrite(view -> view.put("user", "ann"))
                            .block())
                    .isEqualTo("none for ann, EXHAUSTED after 3");
            assertThat(heard.end()).isEqualTo("EXHAUSTED recovered at 3");
        });
    }

    @Test
    void handsOnAnEmptyMonoOfTheRecovery() {
        run((stock, heard) -> {
            assertThat(stock.monoWithEmptyRecovery().blockOptional()).isEmpty();
            assertThat(heard.end()).isEqualTo("EXHAUSTED recovered at 3");
        });
    }

    @Test
    void aMonoThatFailsInTheRecoveryIsNoRecovery() {
        run((stock, heard) -> {
            assertThatThrownBy(() -> stock.monoWithFailingRecovery().block())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("no recovery either")
                    .satisfies(
                            error -> assertThat(error.getSuppressed()).hasAtLeastOneElementOfType(IOException.class));
            assertThat(heard.end()).isEqualTo("EXHAUSTED at 3");
        });
    }

    @Test
    void emitsTheItemsOfTheRecovery() {
        run((stock, heard) -> {
            assertThat(stock.flux()
                            .contextWrite(view -> view.put("user", "ann"))
                            .collectList()
                            .block())
                    .containsExactly("a", "b", "for ann");
            assertThat(heard.end()).isEqualTo("EXHAUSTED recovered at 3");
        });
    }

    @Test
    void emitsNoMoreItemsOfTheRecoveryThanAreWanted() {
        run((stock, heard) -> {
            assertThat(stock.flux().take(2).collectList().block()).containsExactly("a", "b");
            assertThat(heard.end()).isEqualTo("EXHAUSTED recovered at 3");
        });
    }

    @Test
    void aFluxThatFailsInTheRecoveryIsNoRecovery() {
        run((stock, heard) -> {
            assertThatThrownBy(() -> stock.fluxWithFailingRecovery().blockLast())
                    .isInstanceOf(IllegalStateException.class);
            assertThat(heard.end()).isEqualTo("EXHAUSTED at 3");
        });
    }

    @Test
    void waitsForTheFutureOfTheRecovery() {
        run((stock, heard) -> {
            assertThat(stock.future().join()).isEqualTo("none");
            assertThat(heard.end()).isEqualTo("EXHAUSTED recovered at 3");
        });
    }

    @Test
    void waitsForThePlainFutureOfTheRecovery() {
        run((stock, heard) -> {
            assertThat(stock.plain()).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("none");
            assertThat(heard.end()).isEqualTo("EXHAUSTED recovered at 3");
        });
    }

    @Test
    void stagesOfTheMinimalKindAreRetriedAndRecover() {
        run((stock, heard) -> {
            assertThat(stock.minimal(0).toCompletableFuture().join()).isEqualTo("attempt 1");
            assertThat(stock.minimal(2).toCompletableFuture().join()).isEqualTo("attempt 3");
            assertThat(stock.minimalMethod().toCompletableFuture().join()).isEqualTo("none");
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> stock.minimal(9).toCompletableFuture().join())
                    .havingCause()
                    .isInstanceOf(IOException.class)
                    .withMessage("failure 3");
        });
    }

    static class Stock {

        @RetryOn(value = IOException.class, recover = "noMono")
        public Mono<String> mono() {
            return Mono.error(new IOException("down"));
        }

        Mono<String> noMono(IOException error, RetryContext context) {
            return Mono.deferContextual(view -> Mono.just("none for " + view.get("user") + ", " + context.stopReason()
                    + " after " + view.get(RetryContext.class).attempt()));
        }

        @RetryOn(value = IOException.class, recover = "nothing")
        public Mono<String> monoWithEmptyRecovery() {
            return Mono.error(new IOException("down"));
        }

        Mono<String> nothing(IOException error) {
            return Mono.empty();
        }

        @RetryOn(value = IOException.class, recover = "failing")
        public Mono<String> monoWithFailingRecovery() {
            return Mono.error(new IOException("down"));
        }

        Mono<String> failing(IOException error) {
            return Mono.error(new IllegalStateException("no recovery either"));
        }

        @RetryOn(value = IOException.class, recover = "noFlux")
        public Flux<String> flux() {
            return Flux.error(new IOException("down"));
        }

        Flux<String> noFlux(IOException error) {
            return Flux.just("a", "b")
                    .concatWith(Mono.deferContextual(view -> Mono.just("for " + view.getOrDefault("user", "nobody"))));
        }

        @RetryOn(value = IOException.class, recover = "failingFlux")
        public Flux<String> fluxWithFailingRecovery() {
            return Flux.error(new IOException("down"));
        }

        Flux<String> failingFlux(IOException error) {
            return Flux.error(new IllegalStateException("no recovery either"));
        }

        @RetryOn(value = IOException.class, recover = "noFuture")
        public CompletableFuture<String> future() {
            return CompletableFuture.failedFuture(new IOException("down"));
        }

        CompletableFuture<String> noFuture(IOException error) {
            return CompletableFuture.supplyAsync(() -> "none");
        }

        @RetryOn(value = IOException.class, recover = "noPlain")
        public Future<String> plain() {
            FutureTask<String> failing = new FutureTask<>(() -> {
                throw new IOException("down");
            });
            failing.run();
            return failing;
        }

        Future<String> noPlain(IOException error) {
            FutureTask<String> task = new FutureTask<>(() -> "none");
            task.run();
            return task;
        }

        @RetryOn(IOException.class)
        public CompletionStage<String> minimal(int failures) {
            int attempt = RetryContext.current().attempt();
            return attempt <= failures
                    ? CompletableFuture.failedStage(new IOException("failure " + attempt))
                    : CompletableFuture.completedStage("attempt " + attempt);
        }

        @RetryOn(value = IOException.class, recover = "noStage")
        public CompletionStage<String> minimalMethod() {
            return new CompletableFuture<String>()
                    .<String>newIncompleteFuture()
                    .completeAsync(() -> {
                        throw new CompletionException(new IOException("down"));
                    })
                    .minimalCompletionStage();
        }

        CompletionStage<String> noStage(IOException error) {
            return CompletableFuture.completedStage("none");
        }
    }
}

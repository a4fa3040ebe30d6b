// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class ReactiveRetryTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean(Stock.class);

    private void run(Consumer<Stock> test) {
        runner.run(context -> test.accept(context.getBean(Stock.class)));
    }

    @Test
    void retriesFutures() {
        run(stock -> {
            assertThat(stock.future(2).join()).isEqualTo("attempt 3");
            assertThat(stock.stage(2).toCompletableFuture().join()).isEqualTo("attempt 3");
            assertThat(stock.future(0).join()).isEqualTo("attempt 1");
        });
    }

    @Test
    void retriesPlainFutures() {
        run(stock ->
                assertThat(stock.plain(2)).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("attempt 3"));
    }

    @Test
    void failsFuturesWithTheLastError() {
        run(stock -> assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> stock.future(9).join())
                .havingCause()
                .isInstanceOf(IOException.class)
                .withMessage("failure 3"));
    }

    @Test
    void retriesMonosOnceSubscribedTo() {
        run(stock -> {
            Mono<String> mono = stock.mono(2);
            assertThat(stock.subscriptions()).isZero();
            assertThat(mono.block()).isEqualTo("attempt 3");
            assertThat(mono.block()).isEqualTo("attempt 3");
            assertThat(stock.subscriptions()).isEqualTo(6); // 6 = 2 · 3
        });
    }

    @Test
    void handsOnAnEmptyMono() {
        run(stock -> assertThat(stock.empty().blockOptional()).isEmpty());
    }

    @Test
    void failsMonosWithTheLastError() {
        run(stock -> assertThatThrownBy(() -> stock.mono(9).block())
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("failure 3"));
    }

    @Test
    void retriesAThrowBeforeThePublisherIsReturned() {
        run(stock -> assertThat(stock.throwing(2).block()).isEqualTo("attempt 3"));
    }

    @Test
    void retriesAStreamWhileNothingWasEmitted() {
        run(stock ->
                assertThat(stock.stream(2, List.of()).collectList().block()).containsExactly("attempt 3", "end"));
    }

    @Test
    void leavesAStreamThatFailsAfterAnItemToItsSubscriber() {
        run(stock -> {
            List<String> seen = new ArrayList<>();
            assertThatThrownBy(() ->
                            stock.stream(2, List.of("item")).doOnNext(seen::add).blockLast())
                    .hasMessageContaining("failure 1");
            assertThat(seen).containsExactly("item");
        });
    }

    @Test
    void retriesAStreamThatFailsAfterAnItemIfToldTo() {
        runner.withPropertyValues("retryon.reactive.resubscribe-after-emission=true")
                .run(context -> assertThat(context.getBean(Stock.class).stream(2, List.of("item"))
                                .collectList()
                                .block())
                        .containsExactly("item", "item", "item", "attempt 3", "end"));
    }

    @Test
    void honoursDemandAndCancellationOfAStream() {
        run(stock -> assertThat(stock.stream(0, List.of("a", "b", "c"))
                        .take(2)
                        .collectList()
                        .block())
                .containsExactly("a", "b"));
    }

    @Test
    void endsTheAttemptInFlightWhenCancelled() {
        run(stock -> {
            AtomicInteger cancelled = new AtomicInteger();
            Disposable mono = stock.never(cancelled).subscribe();
            mono.dispose();
            Disposable flux = stock.neverMany(cancelled).subscribe();
            flux.dispose();
            assertThat(cancelled).hasValue(2);
        });
    }

    @Test
    void carriesTheReactorContext() {
        run(stock -> {
            assertThat(stock.withContext()
                            .contextWrite(view -> view.put("user", "ann"))
                            .block())
                    .isEqualTo("ann at attempt 2");
            assertThat(stock.manyWithContext()
                            .contextWrite(view -> view.put("user", "ann"))
                            .blockLast())
                    .isEqualTo("ann at attempt 2");
        });
    }

    static class Stock {

        private final AtomicInteger subscriptions = new AtomicInteger();

        public int subscriptions() {
            return subscriptions.get();
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> future(int failures) {
            return outcome(failures);
        }

        @RetryOn(IOException.class)
        public CompletionStage<String> stage(int failures) {
            return outcome(failures);
        }

        @RetryOn(IOException.class)
        public Future<String> plain(int failures) {
            int attempt = RetryContext.current().attempt();
            FutureTask<String> failing = new FutureTask<>(() -> {
                if (attempt <= failures) {
                    throw new IOException("failure " + attempt);
                }
                return "attempt " + attempt;
            });
            failing.run();
            return failing;
        }

        @RetryOn(IOException.class)
        public Mono<String> mono(int failures) {
            subscriptions.incrementAndGet();
            return Mono.fromFuture(outcome(failures));
        }

        @RetryOn(IOException.class)
        public Mono<String> empty() {
            return Mono.empty();
        }

        @RetryOn(IOException.class)
        public Mono<String> throwing(int failures) {
            int attempt = RetryContext.current().attempt();
            if (attempt <= failures) {
                throw new UncheckedIOException(new IOException("failure " + attempt));
            }
            return Mono.just("attempt " + attempt);
        }

        @RetryOn(IOException.class)
        public Flux<String> stream(int failures, List<String> before) {
            int attempt = RetryContext.current().attempt();
            Flux<String> items = Flux.fromIterable(before);
            return attempt <= failures
                    ? items.concatWith(Flux.error(new IOException("failure " + attempt)))
                    : items.concatWith(Flux.just("attempt " + attempt, "end"));
        }

        @RetryOn(IOException.class)
        public Mono<String> never(AtomicInteger cancelled) {
            return Mono.<String>never().doOnCancel(cancelled::incrementAndGet);
        }

        @RetryOn(IOException.class)
        public Flux<String> neverMany(AtomicInteger cancelled) {
            return Flux.<String>never().doOnCancel(cancelled::incrementAndGet);
        }

        @RetryOn(IOException.class)
        public Mono<String> withContext() {
            return Mono.deferContextual(view -> {
                int attempt = view.get(RetryContext.class).attempt();
                return attempt == 1
                        ? Mono.error(new IOException("first"))
                        : Mono.just(view.get("user") + " at attempt " + attempt);
            });
        }

        @RetryOn(IOException.class)
        public Flux<String> manyWithContext() {
            return Flux.deferContextual(view -> {
                int attempt = view.get(RetryContext.class).attempt();
                return attempt == 1
                        ? Flux.error(new IOException("first"))
                        : Flux.just(view.get("user") + " at attempt " + attempt);
            });
        }

        private static CompletableFuture<String> outcome(int failures) {
            int attempt = RetryContext.current().attempt();
            return attempt <= failures
                    ? CompletableFuture.failedFuture(new IOException("failure " + attempt))
                    : CompletableFuture.completedFuture("attempt " + attempt);
        }
    }
}

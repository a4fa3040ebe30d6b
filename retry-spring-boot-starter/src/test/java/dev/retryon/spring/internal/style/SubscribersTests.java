// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Subscribers that have enough, give up or misbehave, and publishers that do. */
@Timeout(60)
class SubscribersTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean(Heard.class)
            .withBean(Feed.class);

    private void run(BiConsumer<Feed, Heard> test) {
        run(runner, test);
    }

    private static void run(ApplicationContextRunner runner, BiConsumer<Feed, Heard> test) {
        runner.run(context -> test.accept(context.getBean(Feed.class), context.getBean(Heard.class)));
    }

    @Test
    void oneThatHasEnoughAfterARetryHasSucceeded() {
        run((feed, heard) -> {
            assertThat(feed.items(1).take(2).collectList().block()).containsExactly("a2", "b2");
            assertThat(heard.end()).isEqualTo("success at 2");
        });
    }

    @Test
    void oneThatHasEnoughAfterARetryHasSucceededIfStreamsAreRetriedAfterAnItem() {
        run(runner.withPropertyValues("retryon.reactive.resubscribe-after-emission=true"), (feed, heard) -> {
            assertThat(feed.items(1).take(2).collectList().block()).containsExactly("a2", "b2");
            assertThat(heard.end()).isEqualTo("success at 2");
        });
    }

    @Test
    void oneThatGivesUpInTheWaitHasCancelled() throws InterruptedException {
        CountDownLatch waiting = new CountDownLatch(2);
        RetryListener watcher = event -> {
            if (event instanceof RetryScheduled) {
                waiting.countDown();
            }
        };
        runner.withBean("watcher", RetryListener.class, () -> watcher)
                .withPropertyValues("retryon.defaults.backoff=fixed", "retryon.defaults.delay=1h")
                .run(context -> {
                    Feed feed = context.getBean(Feed.class);
                    Disposable mono = feed.mono(9).subscribe();
                    Disposable flux = feed.items(9).subscribe();
                    waiting.await();
                    mono.dispose();
                    flux.dispose();
                    assertThat(context.getBean(Heard.class).events())
                            .filteredOn(event -> !(event instanceof RetryScheduled))
                            .hasSize(2)
                            .allSatisfy(event -> assertThat(event.toString()).contains("CANCELLED"));
                });
    }

    @Test
    void oneThatGivesUpInTheWaitAfterAnItemHasCancelled() {
        CountDownLatch waiting = new CountDownLatch(1);
        RetryListener watcher = event -> waiting.countDown();
        runner.withBean("watcher", RetryListener.class, () -> watcher)
                .withPropertyValues(
                        "retryon.reactive.resubscribe-after-emission=true",
                        "retryon.defaults.backoff=fixed",
                        "retryon.defaults.delay=1h")
                .run(context -> {
                    Disposable flux = context.getBean(Feed.class).breaking().subscribe();
                    waiting.await();
                    flux.dispose();
                    assertThat(context.getBean(Heard.class).end()).isEqualTo("CANCELLED at 1");
                });
    }

    @Test
    void oneThatGivesUpInALaterAttemptHasCancelled() {
        run((feed, heard) -> {
            Disposable mono = feed.secondHangs().subscribe();
            assertThat(feed.hangs()).succeedsWithin(SOON);
            mono.dispose();
            assertThat(heard.end()).isEqualTo("CANCELLED at 2");
            assertThat(feed.cancelled()).succeedsWithin(SOON);
        });
    }

    @Test
    void oneThatGivesUpInTheRecoveryHasCancelled() {
        run((feed, heard) -> {
            Disposable mono = feed.recoveryHangs().subscribe();
            assertThat(feed.hangs()).succeedsWithin(SOON);
            mono.dispose();
            assertThat(heard.end()).startsWith("CANCELLED at");
            assertThat(feed.cancelled()).succeedsWithin(SOON);
        });
    }

    @Test
    void oneThatCancelsAtOnceEndsTheAttempt() {
        run((feed, heard) -> {
            feed.never().subscribe(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscription.cancel();
                }
            });
            assertThat(heard.events())
                    .allSatisfy(event -> assertThat(event.toString()).contains("CANCELLED"));
        });
    }

    @Test
    void oneThatThrowsIsNotGivenItemsAgain() {
        run((feed, heard) -> {
            List<String> seen = new ArrayList<>();
            CompletableFuture<Throwable> failed = new CompletableFuture<>();
            feed.items(1)
                    .subscribe(
                            item -> {
                                seen.add(item);
                                throw new IllegalStateException("subscriber");
                            },
                            failed::complete);
            assertThat(failed)
                    .succeedsWithin(SOON)
                    .satisfies(error -> assertThat(error).hasMessage("subscriber"));
            assertThat(seen).containsExactly("a2");
            assertThat(heard.end()).isEqualTo("success at 2");
        });
    }

    @Test
    void aPublisherThatThrowsInsteadOfAnErrorIsRetried() {
        run((feed, heard) -> {
            assertThatThrownBy(() -> feed.throwing(9).blockLast()).hasMessageContaining("failure 3");
            assertThat(heard.end()).isEqualTo("EXHAUSTED at 3");
        });
    }

    @Test
    void aPublisherThatThrowsInsteadOfAnErrorIsRetriedUntilItWorks() {
        run((feed, heard) -> {
            assertThat(feed.throwing(2).collectList().block()).containsExactly("item");
            assertThat(heard.end()).isEqualTo("success at 3");
        });
    }

    @Test
    void whatAPublisherSignalsAfterItsEndIsDropped() {
        run((feed, heard) -> assertThat(feed.lying().collectList().block()).containsExactly("item"));
    }

    static class Feed {

        private final CompletableFuture<Void> cancelled = new CompletableFuture<>();

        private final CompletableFuture<Void> hangs = new CompletableFuture<>();

        public CompletableFuture<Void> cancelled() {
            return cancelled;
        }

        public CompletableFuture<Void> hangs() {
            return hangs;
        }

        @RetryOn(IOException.class)
        public Flux<String> items(int failures) {
            int attempt = RetryContext.current().attempt();
            return attempt <= failures
                    ? Flux.error(new IOException("failure " + attempt))
                    : Flux.just("a" + attempt, "b" + attempt, "c" + attempt);
        }

        @RetryOn(IOException.class)
        public Mono<String> mono(int failures) {
            return items(failures).next();
        }

        @RetryOn(IOException.class)
        public Flux<String> breaking() {
            return Flux.just("item").concatWith(Flux.error(new IOException("broken")));
        }

        @RetryOn(IOException.class)
        public Flux<String> never() {
            return Flux.never();
        }

        @RetryOn(IOException.class)
        public Mono<String> secondHangs() {
            return RetryContext.current().attempt() == 1 ? Mono.error(new IOException("first")) : hanging();
        }

        @RetryOn(value = IOException.class, recover = "hangingRecovery")
        public Mono<String> recoveryHangs() {
            return Mono.error(new IOException("down"));
        }

        Mono<String> hangingRecovery(IOException error) {
            return hanging();
        }

        private Mono<String> hanging() {
            return Mono.<String>never()
                    .doOnSubscribe(subscription -> hangs.complete(null))
                    .doOnCancel(() -> cancelled.complete(null));
        }

        /** Breaks the rule that subscribing must not throw. */
        @RetryOn(IOException.class)
        public Flux<String> throwing(int failures) {
            int attempt = RetryContext.current().attempt();
            return Flux.from(subscriber -> {
                if (attempt <= failures) {
                    throw new UncheckedIOException(new IOException("failure " + attempt));
                }
                Flux.just("item").subscribe(subscriber);
            });
        }

        /** Breaks the rule that nothing follows the end. */
        @RetryOn(IOException.class)
        public Flux<String> lying() {
            Publisher<String> lying = subscriber -> {
                subscriber.onSubscribe(new Subscription() {
                    @Override
                    public void request(long n) {}

                    @Override
                    public void cancel() {}
                });
                subscriber.onNext("item");
                subscriber.onComplete();
                subscriber.onNext("after the end");
                subscriber.onComplete();
                subscriber.onError(new IOException("after the end"));
            };
            return Flux.from(lying);
        }
    }
}

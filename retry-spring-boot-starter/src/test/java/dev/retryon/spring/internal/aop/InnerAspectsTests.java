// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.AfterReturning;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Aspects that run once per attempt because they are inside of the retries, and whose pointcuts bind arguments. */
@Timeout(120)
class InnerAspectsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.delay=1ms", "retryon.defaults.jitter=none")
            .withUserConfiguration(Asynchronous.class)
            .withBean(Marks.class)
            .withBean(Shop.class);

    private void run(Consumer<Shop> test) {
        runner.run(context -> {
            test.accept(context.getBean(Shop.class));
            assertThat(context.getBean(Marks.class).seen)
                    .containsExactly(
                            "around tea", "before tea", "around tea", "before tea", "around tea", "before tea");
        });
    }

    @Test
    void seeEachAttemptOfABlockingMethod() {
        run(shop -> assertThat(shop.blocking("tea")).isEqualTo("attempt 3"));
    }

    @Test
    void seeEachAttemptOfAMono() {
        run(shop -> assertThat(shop.mono("tea").block()).isEqualTo("attempt 3"));
    }

    @Test
    void seeEachAttemptOfAMonoOnAnotherThread() {
        run(shop -> assertThat(shop.mono("tea")
                        .subscribeOn(Schedulers.boundedElastic())
                        .block())
                .isEqualTo("attempt 3"));
    }

    @Test
    void seeEachAttemptOfAFlux() {
        run(shop -> assertThat(shop.flux("tea").collectList().block()).containsExactly("attempt 3", "end"));
    }

    @Test
    void seeEachAttemptOfACompletableFuture() {
        run(shop -> assertThat(shop.future("tea").join()).isEqualTo("attempt 3"));
    }

    @Test
    void seeEachAttemptOfAPlainFuture() {
        run(shop -> assertThat(shop.plain("tea"))
                .succeedsWithin(Duration.ofMinutes(1))
                .isEqualTo("attempt 3"));
    }

    @Test
    void seeEachAttemptOfAnAsyncMethod() {
        run(shop -> assertThat(shop.async("tea").join()).isEqualTo("attempt 3"));
    }

    @Test
    void leaveNoInvocationOnTheThreadThatSubscribes() {
        runner.run(context -> {
            context.getBean(Shop.class).mono("tea").block();
            assertThat(exposed()).isEqualTo("none");
        });
    }

    @Test
    void servePublishersThatSeveralThreadsSubscribeToAtOnce() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            int threads = 4;
            for (int round = 0; round < 200; round++) {
                Mono<String> mono = shop.steady("tea");
                CyclicBarrier start = new CyclicBarrier(threads);
                List<CompletableFuture<String>> calls = Stream.generate(() -> CompletableFuture.supplyAsync(
                                () -> {
                                    await(start);
                                    return String.valueOf(mono.block());
                                },
                                call -> new Thread(call).start()))
                        .limit(threads)
                        .toList();
                assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo("tea"));
            }
        });
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    private static String exposed() {
        try {
            return ExposeInvocationInterceptor.currentInvocation().getMethod().getName();
        } catch (IllegalStateException ex) {
            return "none";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {

        String value();
    }

    @Aspect
    static class Marks {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Around(value = "@annotation(mark) && args(item)", argNames = "call,mark,item")
        Object around(ProceedingJoinPoint call, Mark mark, String item) throws Throwable {
            seen.add(mark.value() + " " + item);
            return call.proceed();
        }

        @Before(value = "@annotation(mark) && args(item)", argNames = "call,mark,item")
        void before(JoinPoint call, Mark mark, String item) {
            seen.add("before " + item);
            assertThat(call.getSignature().getName()).isEqualTo(exposed());
        }

        @AfterReturning(value = "@annotation(mark) && args(item)", argNames = "mark,item")
        void after(Mark mark, String item) {
            assertThat(mark.value() + " " + item).startsWith("around ");
        }
    }

    static class Shop {

        private static String attempt() {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new UncheckedIOException(new IOException("down"));
            }
            return "attempt " + attempt;
        }

        @RetryOn(UncheckedIOException.class)
        @Mark("around")
        public String blocking(String item) {
            return attempt();
        }

        @RetryOn(UncheckedIOException.class)
        @Mark("around")
        public Mono<String> mono(String item) {
            return Mono.fromCallable(Shop::attempt);
        }

        @RetryOn(UncheckedIOException.class)
        @Mark("around")
        public Mono<String> steady(String item) {
            return Mono.just(item);
        }

        @RetryOn(UncheckedIOException.class)
        @Mark("around")
        public Flux<String> flux(String item) {
            return Flux.just(attempt(), "end");
        }

        @RetryOn(UncheckedIOException.class)
        @Mark("around")
        public CompletableFuture<String> future(String item) {
            return CompletableFuture.completedFuture(attempt());
        }

        @RetryOn(UncheckedIOException.class)
        @Mark("around")
        public Future<String> plain(String item) {
            FutureTask<String> task = new FutureTask<>(Shop::attempt);
            task.run();
            return task;
        }

        @Async
        @RetryOn(UncheckedIOException.class)
        @Mark("around")
        public CompletableFuture<String> async(String item) {
            return CompletableFuture.completedFuture(attempt());
        }
    }
}

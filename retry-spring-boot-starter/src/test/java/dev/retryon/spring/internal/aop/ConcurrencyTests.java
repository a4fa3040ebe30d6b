// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.RetryListener;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Many threads, nested calls, interruption, shutdown; what ends a wait of ten minutes ends it within the timeout. */
@Timeout(120)
class ConcurrencyTests {

    private static final int THREADS = 64;

    private final ApplicationContextRunner runner =
            Applications.retrying().withBean(Inner.class).withBean(Outer.class);

    @Test
    void manyThreadsMayMakeTheFirstCallAtOnce() {
        // A lazy bean of a type unknown until it is made: nothing is prepared before the first call.
        runner.withBean("counter", Counter.class, Counter::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    Counter counter = context.getBean(Counter.class);
                    CyclicBarrier together = new CyclicBarrier(THREADS);
                    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
                    try {
                        List<Callable<Integer>> calls = new ArrayList<>();
                        for (int i = 0; i < THREADS; i++) {
                            calls.add(() -> {
                                together.await();
                                return counter.run();
                            });
                        }
                        for (Future<Integer> call : threads.invokeAll(calls)) {
                            assertThat(call.get()).as("each has its own count").isEqualTo(3);
                        }
                    } finally {
                        threads.shutdownNow();
                    }
                    assertThat(counter.total()).isEqualTo(192); // 64 × 3
                    assertThat(Applications.methods(context, Counter.class)).hasSize(1);
                });
    }

    @Test
    void theyAllGetTheSamePlan() throws Exception {
        for (int round = 0; round < 20; round++) {
            Applications.retrying().withBean(Inner.class).run(context -> {
                RetryMethodResolver resolver = context.getBean(RetryMethodResolver.class);
                CyclicBarrier together = new CyclicBarrier(8);
                ExecutorService threads = Executors.newFixedThreadPool(8);
                try {
                    List<Callable<MethodRetry>> calls = new ArrayList<>();
                    for (int i = 0; i < 8; i++) {
                        calls.add(() -> {
                            together.await();
                            return resolver.find(Counter.class.getMethod("run"), Counter.class);
                        });
                    }
                    List<MethodRetry> resolved = new ArrayList<>();
                    for (Future<MethodRetry> call : threads.invokeAll(calls)) {
                        resolved.add(call.get());
                    }
                    assertThat(resolved).doesNotContainNull().allMatch(method -> method == resolved.get(0));
                    assertThat(Applications.method(context, Counter.class, "run"))
                            .isSameAs(resolved.get(0));
                } finally {
                    threads.shutdownNow();
                }
            });
        }
    }

    @Test
    void nestedCallsSeeTheirOwnContextAndGetTheOuterOneBack() {
        runner.run(context -> {
            Outer outer = context.getBean(Outer.class);
            assertThat(outer.callOther(3)).isEqualTo("inner 3 in outer 2");
            assertThat(outer.seen())
                    .containsExactly(
                            "Outer.callOther 1", "Outer.callOther 1", "Outer.callOther 2", "Outer.callOther 2");
            assertThat(RetryContext.find()).isEmpty();
        });
    }

    @Test
    void nestedCallsOnTheSameProxyAreCallsOfTheirOwn() {
        runner.run(context -> {
            Outer outer = context.getBean(Outer.class);
            assertThatThrownBy(() -> outer.recurse(outer, 2)).hasMessage("bottom");
            // Three attempts at each of the levels 2, 1 and 0: 3 + 9 + 27.
            assertThat(outer.recursions()).isEqualTo(39);
        });
    }

    @Test
    void anInterruptionEndsTheWait() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        runner.withPropertyValues("retryon.defaults.backoff=fixed", "retryon.defaults.delay=10m")
                .withBean(RetryListener.class, () -> event -> waiting.countDown())
                .run(context -> {
                    Inner inner = context.getBean(Inner.class);
                    CompletableFuture<RetryResult<Object>> result = new CompletableFuture<>();
                    CompletableFuture<Boolean> flag = new CompletableFuture<>();
                    Thread thread = new Thread(() -> {
                        result.complete(Retries.capture(inner::alwaysFails));
                        flag.complete(Thread.currentThread().isInterrupted());
                    });
                    thread.start();
                    waiting.await();
                    thread.interrupt();
                    RetryResult<Object> ended = result.get();
                    assertThat(ended.error()).isInstanceOf(IOException.class).hasMessage("always");
                    assertThat(ended.stopReason()).isEqualTo(StopReason.INTERRUPTED);
                    assertThat(ended.attempts()).isEqualTo(1);
                    assertThat(flag.get()).as("the flag is restored").isTrue();
                });
    }

    @Test
    void aClosingContextEndsTheWait() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        runner.withPropertyValues("retryon.defaults.backoff=fixed", "retryon.defaults.delay=10m")
                .withBean(RetryListener.class, () -> event -> waiting.countDown())
                .run(context -> {
                    Inner inner = context.getBean(Inner.class);
                    CompletableFuture<RetryResult<Object>> result =
                            CompletableFuture.supplyAsync(() -> Retries.capture(inner::alwaysFails));
                    waiting.await();
                    context.getSourceApplicationContext().close();
                    RetryResult<Object> ended = result.get();
                    assertThat(ended.error()).hasMessage("always");
                    assertThat(ended.stopReason()).isEqualTo(StopReason.SHUTDOWN);
                    assertThatThrownBy(inner::alwaysFails)
                            .as("no retry after that")
                            .hasMessage("always");
                });
    }

    @Test
    void aChildContextThatClosesChangesNothing() {
        runner.run(context -> {
            AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
            child.setParent(context.getSourceApplicationContext());
            child.refresh();
            child.close();
            assertThat(context.getBean(Inner.class).run(2)).isEqualTo(3);
        });
    }

    @Test
    void aThrowingListenerEndsNothing() {
        AtomicInteger told = new AtomicInteger();
        runner.withBean("bad", RetryListener.class, () -> event -> {
                    told.incrementAndGet();
                    throw new IllegalStateException("listener");
                })
                .withBean("good", RetryListener.class, () -> event -> told.addAndGet(10))
                .run(context -> {
                    assertThat(context.getBean(Inner.class).run(2)).isEqualTo(3);
                    assertThat(told).as("both, of two retries and a success").hasValue(33); // 3 × (1 + 10)
                });
    }

    @Test
    void aCyclicCauseEndsNothing() {
        runner.run(context -> {
            IOException cyclic = new IOException("cyclic", new RuntimeException());
            cyclic.getCause().initCause(cyclic);
            Inner inner = context.getBean(Inner.class);
            assertThatThrownBy(() -> inner.fail(cyclic)).isSameAs(cyclic);
            RuntimeException unlisted = new RuntimeException("unlisted", new IllegalStateException());
            unlisted.getCause().initCause(unlisted);
            assertThatThrownBy(() -> inner.fail(unlisted)).isSameAs(unlisted);
            assertThat(inner.calls()).isEqualTo(4); // 3 + 1
        });
    }

    static class Counter {

        private final AtomicInteger total = new AtomicInteger();

        int total() {
            return total.get();
        }

        @RetryOn(IOException.class)
        public int run() throws IOException {
            total.incrementAndGet();
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new IOException();
            }
            return attempt;
        }
    }

    static class Inner {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn(IOException.class)
        public int run(int failures) throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt <= failures) {
                throw new IOException();
            }
            return attempt;
        }

        @RetryOn(IOException.class)
        public Object alwaysFails() throws IOException {
            throw new IOException("always");
        }

        @RetryOn(IOException.class)
        public void fail(Exception error) throws Exception {
            calls++;
            throw error;
        }
    }

    static class Outer {

        private final Inner inner;

        private final List<String> seen = new ArrayList<>();

        private int recursions;

        Outer(Inner inner) {
            this.inner = inner;
        }

        List<String> seen() {
            return seen;
        }

        int recursions() {
            return recursions;
        }

        @RetryOn(IOException.class)
        public String callOther(int attempts) throws IOException {
            look();
            int nested = inner.run(attempts - 1);
            look();
            int attempt = RetryContext.current().attempt();
            if (attempt < 2) {
                throw new IOException();
            }
            return "inner " + nested + " in outer " + attempt;
        }

        private void look() {
            RetryContext context = RetryContext.current();
            seen.add(context.name() + " " + context.attempt());
        }

        @RetryOn(IOException.class)
        public void recurse(Outer proxy, int levels) throws IOException {
            recursions++;
            if (levels == 0) {
                throw new IOException("bottom");
            }
            proxy.recurse(proxy, levels - 1);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.retryon.RetryContext;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryHistory;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.GenericApplicationContext;
import reactor.core.publisher.Mono;

/** What becomes of calls that wait for an hour when their application ends. */
@Timeout(120)
class ShutdownTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.delay=1h")
            .withBean(Waits.class)
            .withBean(Orders.class);

    @Test
    void endsTheWaitOfAFuture() {
        runner.run(context -> {
            CompletableFuture<String> call = context.getBean(Orders.class).future();
            Waits waits = context.getBean(Waits.class);
            waits.await();
            context.close();
            endsEarly(call);
            assertThat(waits.reasons).containsEntry("Orders.future", StopReason.SHUTDOWN);
        });
    }

    @Test
    void aFirstCallAfterTheEndSaysThatTheContextIsClosed() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            context.close();
            assertThatIllegalStateException()
                    .isThrownBy(orders::blocking)
                    .withMessageContaining("the application context was closed");
        });
    }

    @Test
    void endsTheWaitOfAMono() {
        runner.run(context -> {
            CompletableFuture<String> call =
                    context.getBean(Orders.class).mono().toFuture();
            Waits waits = context.getBean(Waits.class);
            waits.await();
            context.close();
            endsEarly(call);
            assertThat(waits.reasons).containsEntry("Orders.mono", StopReason.SHUTDOWN);
        });
    }

    @Test
    void endsTheWaitOfABlockingCall() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Waits waits = context.getBean(Waits.class);
            FutureTask<String> call = new FutureTask<>(orders::blocking);
            Thread caller = new Thread(call);
            caller.start();
            waits.await();
            context.close();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(call::get)
                    .havingCause()
                    .isExactlyInstanceOf(IOException.class)
                    .withMessage("attempt 1")
                    .satisfies(error -> assertThat(error.getSuppressed())
                            .singleElement(type(RetryHistory.class))
                            .returns(StopReason.SHUTDOWN, RetryHistory::reason));
            assertThat(waits.reasons).containsEntry("Orders.blocking", StopReason.SHUTDOWN);
        });
    }

    @Test
    void leavesNoThreadBehind() {
        Set<Thread> before = threads();
        runner.run(context -> {
            CompletableFuture<String> call = context.getBean(Orders.class).future();
            context.getBean(Waits.class).await();
            Set<Thread> started = threads();
            started.removeAll(before);
            assertThat(started).hasSize(1);
            context.close();
            endsEarly(call);
            for (Thread thread : started) {
                thread.join();
            }
        });
    }

    @Test
    void aChildThatEndsLeavesItsParentsCallsAlone() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Waits waits = context.getBean(Waits.class);
            CompletableFuture<String> call = orders.future();
            waits.await();
            closeAChildOf(context);
            assertThat(call).isNotDone();
            assertThat(orders.atOnce()).isEqualTo("attempt 2");
            assertThat(waits.reasons).isEmpty();
            context.close();
            endsEarly(call);
        });
    }

    @Test
    void aCallThatFailsAfterTheEndIsNotRetried() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Waits waits = context.getBean(Waits.class);
            assertThat(orders.atOnce()).isEqualTo("attempt 2");
            context.close();
            assertThatExceptionOfType(IOException.class).isThrownBy(orders::atOnce);
            assertThat(waits.reasons).containsEntry("Orders.atOnce", StopReason.SHUTDOWN);
        });
    }

    @Test
    void aStartThatFailsEndsTheWaitsBeforeBeansAreDestroyed() {
        List<Boolean> ended = new ArrayList<>();
        runner.withBean(Caller.class, () -> new Caller(ended))
                .withBean(FailedStart.class)
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(ended).containsExactly(true);
                });
    }

    private static void closeAChildOf(ConfigurableApplicationContext context) {
        GenericApplicationContext child = new GenericApplicationContext(context);
        child.refresh();
        child.close();
    }

    private static void endsEarly(CompletableFuture<String> call) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(call::get)
                .havingCause()
                .isExactlyInstanceOf(IOException.class)
                .withMessage("attempt 1");
    }

    /** Timers of engines that earlier tests have used might still be there for some seconds. */
    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("retryon-"))
                .collect(Collectors.toSet());
    }

    /** Waits for its call for a while before it is destroyed, as executors can. */
    static class Caller implements SmartInitializingSingleton, DisposableBean {

        private final List<Boolean> ended;

        @Autowired
        private Orders orders;

        @Autowired
        private Waits waits;

        private CompletableFuture<String> call = new CompletableFuture<>();

        Caller(List<Boolean> ended) {
            this.ended = ended;
        }

        @Override
        public void afterSingletonsInstantiated() {
            call = orders.future();
            try {
                waits.await();
            } catch (InterruptedException ex) {
                throw new AssertionError(ex);
            }
        }

        @Override
        public void destroy() {
            ended.add(call.handle((value, error) -> error != null)
                    .completeOnTimeout(false, 5, TimeUnit.SECONDS)
                    .join());
        }
    }

    static class FailedStart implements SmartLifecycle {

        @Override
        public void start() {
            throw new IllegalStateException("the port is in use");
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    static class Waits implements RetryListener {

        private final Map<String, StopReason> reasons = new ConcurrentHashMap<>();

        private final CountDownLatch waiting = new CountDownLatch(1);

        @Override
        public void onEvent(RetryEvent event) {
            if (event instanceof RetryScheduled) {
                waiting.countDown();
            } else if (event instanceof RetryFailed failed) {
                reasons.put(failed.name(), failed.reason());
            }
        }

        void await() throws InterruptedException {
            waiting.await();
        }
    }

    static class Orders {

        @RetryOn(IOException.class)
        public CompletableFuture<String> future() {
            return CompletableFuture.failedFuture(failure());
        }

        @RetryOn(IOException.class)
        public Mono<String> mono() {
            return Mono.error(failure());
        }

        @RetryOn(IOException.class)
        public String blocking() throws IOException {
            throw failure();
        }

        @RetryOn(value = IOException.class, backoff = "none")
        public String atOnce() throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt == 1) {
                throw failure();
            }
            return "attempt " + attempt;
        }

        private static IOException failure() {
            return new IOException("attempt " + RetryContext.current().attempt());
        }
    }
}

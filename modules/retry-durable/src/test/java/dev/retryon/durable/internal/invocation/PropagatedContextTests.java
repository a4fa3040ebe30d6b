// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** What later attempts see that run on the one thread of a pool, which has a context of its own. */
@Timeout(120)
class PropagatedContextTests {

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    private final ObservationRegistry observations = ObservationRegistry.create();

    private final ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "pool"));

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(RetryDurableCoreAutoConfiguration.class, RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(
                    "retryOnTaskExecutor",
                    ExecutorService.class,
                    () -> pool,
                    definition -> definition.setDestroyMethodName(""))
            .withBean(Stock.class, () -> new Stock(observations));

    @BeforeEach
    void equip() {
        observations.observationConfig().observationHandler(context -> true);
        ContextRegistry.getInstance().registerThreadLocalAccessor(new TenantAccessor());
    }

    @AfterEach
    void tidyUp() throws InterruptedException {
        pool.shutdownNow();
        assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        ContextRegistry.getInstance().removeThreadLocalAccessor(TenantAccessor.KEY);
        leave();
    }

    @Test
    void laterAttemptsSeeWhatTheirCallerHasAndThePoolKeepsItsOwn() {
        runner.run(context -> {
            onPool(() -> enter("pool"));
            Seen poolHas = onPool(this::look);
            Stock stock = context.getBean(Stock.class);

            Observation observation = Observation.start("request", observations);
            try (Observation.Scope scope = observation.openScope()) {
                enter("ann");
                assertThat(stock.count(2).get()).isEqualTo("attempt 3");
                assertThat(look())
                        .isEqualTo(new Seen(
                                "ann",
                                "ann",
                                "ann",
                                observation,
                                Thread.currentThread().getName()));
            }

            assertThat(stock.seen())
                    .containsExactly(
                            new Seen(
                                    "ann",
                                    "ann",
                                    "ann",
                                    observation,
                                    Thread.currentThread().getName()),
                            new Seen("ann", "ann", "ann", observation, "pool"),
                            new Seen("ann", "ann", "ann", observation, "pool"));
            assertThat(onPool(this::look)).isEqualTo(poolHas);
        });
    }

    @Test
    void laterAttemptsOfACallerThatHasNothingDoNotSeeWhatThePoolHas() {
        runner.run(context -> {
            onPool(() -> enter("pool"));
            Seen poolHas = onPool(this::look);
            Stock stock = context.getBean(Stock.class);

            assertThat(stock.count(1).get()).isEqualTo("attempt 2");

            assertThat(stock.seen().get(1)).isEqualTo(new Seen(null, null, null, null, "pool"));
            assertThat(onPool(this::look)).isEqualTo(poolHas);
        });
    }

    @Test
    void aStageThatFailsOnAPoolThreadLeavesThatThreadAsItWas() {
        runner.run(context -> {
            onPool(() -> enter("pool"));
            Seen poolHas = onPool(this::look);
            enter("ann");

            assertThat(context.getBean(Stock.class).countOn(pool, 2).get()).isEqualTo("attempt 3");

            assertThat(onPool(this::look)).isEqualTo(poolHas);
        });
    }

    @Test
    void theSubscribersContextReachesAttemptsListenersAndGates() {
        Watcher watcher = new Watcher();
        runner.withBean(Watcher.class, () -> watcher).run(context -> {
            onPool(() -> enter("pool"));
            Seen poolHas = onPool(this::look);
            Stock stock = context.getBean(Stock.class);

            String counted = stock.countMono(2)
                    .contextWrite(view -> view.put(TenantAccessor.KEY, "ann"))
                    .block();

            assertThat(counted).isEqualTo("attempt 3");
            assertThat(stock.seen()).extracting(Seen::tenant).containsExactly("ann", "ann", "ann");
            assertThat(watcher.seenTenants).containsExactly("ann", "ann");
            assertThat(watcher.askedTenants).containsExactly("ann", "ann");
            assertThat(watcher.subscribers).containsExactly("ann", "ann");
            assertThat(onPool(this::look)).isEqualTo(poolHas);
            assertThat(TENANT.get()).isNull();
        });
    }

    private <T> T onPool(Callable<T> task) throws Exception {
        return pool.submit(task).get();
    }

    private boolean enter(String user) {
        MDC.put("user", user);
        SecurityContextHolder.setContext(new SecurityContextImpl(new TestingAuthenticationToken(user, "")));
        TENANT.set(user);
        return true;
    }

    private static void leave() {
        MDC.clear();
        SecurityContextHolder.clearContext();
        TENANT.remove();
    }

    private Seen look() {
        return Seen.now(observations);
    }

    private record Seen(String logged, String authenticated, String tenant, Observation observation, String thread) {

        static Seen now(ObservationRegistry observations) {
            Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
            return new Seen(
                    MDC.get("user"),
                    authentication == null ? null : authentication.getName(),
                    TENANT.get(),
                    observations.getCurrentObservation(),
                    Thread.currentThread().getName());
        }
    }

    static class Stock {

        private final List<Seen> seen = new CopyOnWriteArrayList<>();

        private final ObservationRegistry observations;

        Stock(ObservationRegistry observations) {
            this.observations = observations;
        }

        public List<Seen> seen() {
            return seen;
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> count(int failures) {
            return attempt(failures);
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> countOn(ExecutorService pool, int failures) {
            int attempt = RetryContext.current().attempt();
            return CompletableFuture.supplyAsync(() -> attempt, pool)
                    .thenCompose(number -> number <= failures
                            ? CompletableFuture.failedFuture(new IOException("failure " + number))
                            : CompletableFuture.completedFuture("attempt " + number));
        }

        @RetryOn(IOException.class)
        public Mono<String> countMono(int failures) {
            return Mono.fromFuture(attempt(failures));
        }

        private CompletableFuture<String> attempt(int failures) {
            seen.add(Seen.now(observations));
            int attempt = RetryContext.current().attempt();
            return attempt <= failures
                    ? CompletableFuture.failedFuture(new IOException("failure " + attempt))
                    : CompletableFuture.completedFuture("attempt " + attempt);
        }
    }

    /** Takes part in every call, and notes what it can see of the subscriber. */
    private static final class Watcher implements RetryDecider, RetryListener {

        private final List<String> askedTenants = new CopyOnWriteArrayList<>();

        private final List<String> seenTenants = new CopyOnWriteArrayList<>();

        private final List<String> subscribers = new CopyOnWriteArrayList<>();

        @Override
        public boolean shouldRetry(RetryContext context, Throwable error) {
            askedTenants.add(TENANT.get());
            ContextView subscriber = (ContextView) context.attributes().get(ContextView.class.getName());
            subscribers.add(subscriber.get(TenantAccessor.KEY));
            return true;
        }

        @Override
        public void onEvent(RetryEvent event) {
            if (event instanceof RetryScheduled) {
                seenTenants.add(TENANT.get());
            }
        }
    }

    private static final class TenantAccessor implements ThreadLocalAccessor<String> {

        private static final String KEY = "tenant";

        @Override
        public Object key() {
            return KEY;
        }

        @Override
        public String getValue() {
            return TENANT.get();
        }

        @Override
        public void setValue(String value) {
            TENANT.set(value);
        }

        @Override
        public void setValue() {
            TENANT.remove();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.RetryContext;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryResult;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySignal;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.reactive.TransactionContextManager;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Durable methods whose result, which has no value, comes later: a future or a publisher. */
@SpringBootTest(
        classes = LaterResultsTests.Application.class,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:later;DB_CLOSE_DELAY=-1",
            "spring.datasource.hikari.maximum-pool-size=20",
            "retryon.jdbc.initialize-schema=always",
            "retryon.defaults.exceptions=java.io.IOException",
            "retryon.defaults.delay=10ms",
            "retryon.defaults.jitter=none",
            "retryon.durable.poll-interval=50ms",
            "retryon.durable.attempt-timeout=200ms"
        })
@Tag("slow")
@DirtiesContext
class LaterResultsTests {

    private static final AtomicInteger NEXT = new AtomicInteger();

    @Autowired
    private ApplicationContext context;

    @Autowired
    private Mails mails;

    @Autowired
    private Partner partner;

    @Autowired
    private Connections connections;

    @Autowired
    private Events events;

    @Autowired
    private PlatformTransactionManager transactions;

    /** Each test has its own call, because the application is shared. */
    private final String id = "mail-" + NEXT.incrementAndGet();

    @BeforeEach
    void forget() {
        connections.threads.clear();
        events.all.clear();
    }

    /** The kinds of results. Each runs the same script. */
    enum Kind {
        FUTURE,
        STAGE,
        MONO;

        /** Starts a call whose retries are stored; returns its result. */
        CompletableFuture<?> onFailure(Mails mails, String id) {
            return switch (this) {
                case FUTURE -> mails.future(id);
                case STAGE -> mails.stage(id).toCompletableFuture();
                case MONO -> mails.mono(id).toFuture();
            };
        }

        /** Stores a call. */
        CompletableFuture<?> outbox(Mails mails, String id) {
            return switch (this) {
                case FUTURE -> mails.futureLater(id);
                case STAGE -> mails.stageLater(id).toCompletableFuture();
                case MONO -> mails.monoLater(id).toFuture();
            };
        }
    }

    private static CompletableFuture<Void> sent() {
        return CompletableFuture.completedFuture(null);
    }

    private static CompletableFuture<Void> down() {
        return CompletableFuture.failedFuture(new IOException("down"));
    }

    private void script(IntFunction<CompletableFuture<Void>> attempts) {
        partner.scripts.put(id, attempts);
    }

    private List<Seen> seen() {
        return partner.seen.getOrDefault(id, List.of());
    }

    private void awaitNothingStored() {
        await().until(() -> DurableTrial.stored(context) == 0);
    }

    private List<DeadLetter> letters() {
        return DurableTrial.deadLetters(context).stream()
                .filter(letter ->
                        letter.arguments() != null && letter.arguments().contains('"' + id + '"'))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void retriesAreStoredAndTheResultCompletes(Kind kind) throws Exception {
        CompletableFuture<Void> first = new CompletableFuture<>();
        script(attempt -> attempt == 1 ? first : attempt == 2 ? down() : sent());

        CompletableFuture<?> result = kind.onFailure(mails, id);
        assertThat(result).isNotDone();
        assertThat(DurableTrial.stored(context)).isZero();
        first.completeExceptionally(new IOException("down"));

        assertThat(result.get()).isNull();
        awaitNothingStored();
        assertThat(seen()).extracting(Seen::attempt).containsExactly(1, 2, 3);
        assertThat(seen()).extracting(Seen::callId).containsOnly(seen().get(0).callId());
        assertThat(seen()).extracting(Seen::durable).containsOnly(true);
        assertThat(seen().subList(1, 3)).allMatch(seen -> seen.thread().startsWith("retryon-worker-"));
        assertThat(events.all)
                .extracting(RetryEvent::getClass)
                .containsExactly(RetryScheduled.class, RetryScheduled.class, RetrySucceeded.class);
        assertThat(letters()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatSucceedsAtOnceIsNotStored(Kind kind) throws Exception {
        script(attempt -> sent());

        assertThat(kind.onFailure(mails, id).get()).isNull();

        assertThat(connections.threads).isEmpty();
        assertThat(seen()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void anErrorThatIsNotRetriedReachesTheCaller(Kind kind) {
        script(attempt -> CompletableFuture.failedFuture(new IllegalArgumentException("wrong")));

        assertThatThrownBy(kind.onFailure(mails, id)::get).hasRootCauseMessage("wrong");

        assertThat(connections.threads).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void theOriginalErrorReachesTheCallerIfTheCallCannotBeStored(Kind kind) {
        script(attempt -> down());
        String large = id + "x".repeat(70_000);
        partner.scripts.put(large, attempt -> down());

        assertThatThrownBy(kind.onFailure(mails, large)::get)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessage("down")
                .satisfies(error -> assertThat(error.getSuppressed())
                        .anySatisfy(store -> assertThat(store).hasMessageContaining("65536")));
        assertThat(DurableTrial.stored(context)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatFailsForGoodBecomesADeadLetterThatCanBeResent(Kind kind) throws Exception {
        script(attempt -> down());
        kind.outbox(mails, id).get();
        await().until(() -> letters().size() == 1);
        awaitNothingStored();
        assertThat(letters().get(0).reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(seen()).hasSize(3).allMatch(seen -> seen.thread().startsWith("retryon-worker-"));

        script(attempt -> sent());
        context.getBean(StoredCalls.class).resend(letters().get(0).id());

        await().until(() -> letters().get(0).state() == State.RESOLVED);
        assertThat(seen()).hasSize(4);
    }

    @ParameterizedTest
    @EnumSource
    void aCallIsStoredInTheTransactionOfItsCaller(Kind kind) {
        script(attempt -> sent());
        TransactionTemplate transaction = new TransactionTemplate(transactions);

        transaction.executeWithoutResult(status -> {
            assertThat(kind.outbox(mails, id)).isCompletedWithValue(null);
            status.setRollbackOnly();
        });
        assertThat(DurableTrial.stored(context)).isZero();
        transaction.executeWithoutResult(status -> {
            assertThat(kind.outbox(mails, id)).isCompletedWithValue(null);
            assertThat(seen()).isEmpty();
        });

        await().until(() -> seen().size() == 1);
        awaitNothingStored();
        assertThat(seen()).singleElement().matches(seen -> seen.attempt() == 1 && seen.durable());
    }

    @ParameterizedTest
    @EnumSource
    void anAttemptThatNeverEndsIsCancelledByTheTimeout(Kind kind) throws Exception {
        List<CompletableFuture<Void>> endless = new CopyOnWriteArrayList<>();
        script(attempt -> {
            CompletableFuture<Void> never = new CompletableFuture<>();
            endless.add(never);
            return never;
        });

        Retries.with(settings -> settings.maxAttempts(2).exceptions(AttemptTimeoutException.class))
                .call(() -> kind.outbox(mails, id))
                .get();

        await().until(() -> letters().size() == 1);
        assertThat(letters().get(0).errorType()).isEqualTo(AttemptTimeoutException.class.getName());
        assertThat(endless).isNotEmpty().allMatch(CompletableFuture::isCancelled);
    }

    @ParameterizedTest
    @EnumSource
    void anAttemptWhoseResultIsCancelledFails(Kind kind) throws Exception {
        script(attempt -> {
            CompletableFuture<Void> cancelled = new CompletableFuture<>();
            cancelled.cancel(true);
            return cancelled;
        });

        kind.outbox(mails, id).get();

        await().until(() -> letters().size() == 1);
        assertThat(letters().get(0).errorType()).isEqualTo(CancellationException.class.getName());
    }

    @ParameterizedTest
    @EnumSource(names = {"FUTURE", "STAGE"})
    void aMethodThatReturnsNullFails(Kind kind) throws Exception {
        script(attempt -> null);

        assertThatThrownBy(kind.onFailure(mails, id)::get).cause().hasMessageContaining("returned null");
        kind.outbox(mails, id).get();

        await().until(() -> letters().size() == 1);
        assertThat(letters().get(0).errorType()).isEqualTo(IllegalStateException.class.getName());
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatItsCallerCancelsIsNotStored(Kind kind) {
        CompletableFuture<Void> first = new CompletableFuture<>();
        script(attempt -> first);
        CompletableFuture<?> result = kind.onFailure(mails, id);

        result.cancel(true);

        assertThat(first).isCancelled();
        assertThat(connections.threads).isEmpty();
        assertThat(events.all)
                .singleElement()
                .isInstanceOfSatisfying(
                        RetryFailed.class, failed -> assertThat(failed.reason()).isEqualTo(StopReason.CANCELLED));
    }

    @ParameterizedTest
    @EnumSource
    void theThreadThatEndsTheAttemptDoesNotWaitForTheDatabase(Kind kind) throws Exception {
        script(attempt -> attempt == 1
                ? Mono.<Void>error(new IOException("down"))
                        .delaySubscription(Duration.ofMillis(1), Schedulers.parallel())
                        .toFuture()
                : sent());

        kind.onFailure(mails, id).get();
        await().until(() -> seen().size() == 2);

        assertThat(connections.threads).isNotEmpty().noneMatch(thread -> thread.startsWith("parallel-"));
    }

    @ParameterizedTest
    @EnumSource
    void attemptsHaveWhatTheCallOverrides(Kind kind) {
        script(attempt -> down());

        RetryResult<CompletableFuture<?>> result =
                Retries.with(settings -> settings.maxAttempts(5)).capture(() -> kind.onFailure(mails, id));
        assertThat(result.value()).succeedsWithin(Duration.ofSeconds(10));

        await().until(() -> letters().size() == 1);
        assertThat(letters().get(0).attempts()).isEqualTo(5);
    }

    @Test
    void aFutureOfTheOutboxThatCannotBeStoredFailsAtOnce() {
        assertThatThrownBy(() -> mails.futureLater("x".repeat(70_000))).hasMessageContaining("65536");
        assertThatThrownBy(() -> mails.monoLater("x".repeat(70_000)).block()).hasMessageContaining("65536");
    }

    @Test
    void aPublisherStoresItsCallWhenItIsSubscribedTo() {
        script(attempt -> sent());
        Mono<Void> mono = mails.monoLater(id);
        assertThat(connections.threads).isEmpty();

        mono.block();
        mono.subscribeOn(Schedulers.parallel()).block();

        await().until(() -> seen().size() == 2);
        assertThat(connections.threads)
                .noneMatch(thread -> thread.startsWith("parallel-"))
                .anyMatch(thread -> thread.startsWith("boundedElastic-"));
    }

    @Test
    void aPublisherCannotBeStoredInAReactiveTransaction() {
        Mono<Void> inTransaction = TransactionSynchronizationManager.forCurrentTransaction()
                .doOnNext(transaction -> transaction.setActualTransactionActive(true))
                .then(mails.monoLater(id))
                .contextWrite(TransactionContextManager.getOrCreateContext())
                .contextWrite(TransactionContextManager.getOrCreateContextHolder());

        assertThatThrownBy(inTransaction::block)
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("a durable call cannot be stored in a reactive transaction");
        assertThat(DurableTrial.stored(context)).isZero();
    }

    @Test
    void aPublisherThatFailsBeforeItIsMadeIsRetried() throws IOException {
        mails.unmade(id).block();

        awaitNothingStored();
        assertThat(seen()).extracting(Seen::attempt).containsExactly(1, 2);
    }

    @Test
    void anAsyncMethodIsStoredByItsThread() {
        script(attempt -> attempt < 3 ? down() : sent());

        assertThat(mails.background(id)).succeedsWithin(Duration.ofSeconds(10));

        await().until(() -> seen().size() == 3);
        awaitNothingStored();
        assertThat(seen().get(0).thread()).startsWith("retryOnTaskExecutor-");
        assertThat(seen().subList(1, 3)).allMatch(seen -> seen.thread().startsWith("retryon-worker-"));
    }

    @Test
    void aRecoveryOfAStoredCallIsSubscribedTo() {
        script(attempt -> down());

        mails.recovered(id).block();

        await().until(() -> partner.recoveries.contains(id));
        awaitNothingStored();
    }

    @Test
    void aRecoveryOfACallWhoseLastAttemptWasLostIsSubscribedToo() throws Exception {
        mails.lost(id).block();
        DurableTrial.store(context)
                .jdbc()
                .sql("update retryon_call set consecutive_failures = 1, execution_time = current_timestamp")
                .update();

        await().until(() -> partner.recoveries.contains(id));
        awaitNothingStored();
        assertThat(seen()).isEmpty();
    }

    @Test
    void manyCallsAtOnceAreStored() {
        storeAtOnce(1_000);
    }

    @Test
    @Tag("endurance")
    void thousandsOfCallsAtOnceAreStored() {
        storeAtOnce(5_000);
    }

    private void storeAtOnce(int calls) {
        List<CompletableFuture<?>> results = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            String one = id + '-' + i;
            RuntimeException error = RetrySignal.retryAfter("down", Duration.ofHours(i % 20 == 0 ? 0 : 1));
            partner.scripts.put(
                    one, attempt -> attempt == 1 ? CompletableFuture.runAsync(() -> throwing(error)) : sent());
            results.add(mails.future(one));
        }

        assertThat(CompletableFuture.allOf(results.toArray(new CompletableFuture<?>[0])))
                .succeedsWithin(Duration.ofSeconds(60));
        // One of 20 runs again at once.
        await().until(() -> DurableTrial.stored(context) == calls - calls / 20);
        assertThat(partner.seen.values().stream().filter(seen -> seen.size() == 2))
                .hasSizeGreaterThanOrEqualTo(calls / 20);
        DurableTrial.store(context).jdbc().sql("delete from retryon_call").update();
    }

    @Test
    void anAttemptThatDoesNotEndIsInterruptedByTheShutdownAndRunsLater() {
        Partner first = new Partner();
        CompletableFuture<Void> endless = new CompletableFuture<>();
        first.scripts.put("mail", attempt -> endless);
        Partner second = new Partner();
        second.scripts.put("mail", attempt -> sent());

        process(first).run(process -> {
            process.getBean(Mails.class).monoLater("mail").block();
            await().until(() -> first.seen.containsKey("mail"));
        });
        assertThat(endless).isCancelled();

        process(second).run(process -> {
            await().until(() -> DurableTrial.stored(process) == 0);
            assertThat(second.seen.get("mail")).singleElement().matches(seen -> seen.attempt() == 2);
        });
    }

    @Test
    void aCallThatWaitsForAThreadAtTheShutdownIsStored() {
        Partner first = new Partner();
        RuntimeException later = RetrySignal.retryAfter("down", Duration.ofSeconds(1));
        first.scripts.put("late", attempt -> CompletableFuture.failedFuture(later));
        Partner second = new Partner();
        second.scripts.put("late", attempt -> sent());
        List<CompletableFuture<Void>> results = new ArrayList<>();

        process(first)
                .withBean("retryOnTaskExecutor", Executor.class, () -> task -> {})
                .run(process -> results.add(process.getBean(Mails.class).future("late")));
        assertThat(results)
                .singleElement()
                .satisfies(result -> assertThat(result).isCompletedWithValue(null));

        process(second).run(process -> {
            await().until(() -> DurableTrial.stored(process) == 0);
            // Workers of the first process might run it until they are stopped.
            int attempts = first.seen.get("late").size();
            assertThat(second.seen.get("late"))
                    .singleElement()
                    .satisfies(seen -> assertThat(seen.attempt()).isEqualTo(attempts + 1));
        });
    }

    private static ApplicationContextRunner process(Partner partner) {
        return DurableTrial.inMemory()
                .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:restarted;DB_CLOSE_DELAY=-1",
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.defaults.exceptions=java.io.IOException",
                        "spring.lifecycle.timeout-per-shutdown-phase=2s")
                .withBean(Partner.class, () -> partner)
                .withBean(Mails.class);
    }

    private static void throwing(RuntimeException error) {
        throw error;
    }

    record Seen(int attempt, String callId, boolean durable, String thread) {}

    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        RetryDurableCoreAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryDurableAutoConfiguration.class
    })
    @EnableAsync
    @Import({Mails.class, Partner.class, Connections.class, Events.class})
    static class Application {

        @Bean
        ThreadPoolTaskExecutor retryOnTaskExecutor() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setCorePoolSize(8);
            return executor;
        }
    }

    static class Events implements RetryListener {

        private final List<RetryEvent> all = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(RetryEvent event) {
            all.add(event);
        }
    }

    /** The threads of the application that use the database, without those of the engine. */
    static class Connections implements BeanPostProcessor {

        private final Set<String> threads = ConcurrentHashMap.newKeySet();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource ? new Watched(dataSource, threads) : bean;
        }
    }

    private static final class Watched extends DelegatingDataSource {

        private final Set<String> threads;

        Watched(DataSource dataSource, Set<String> threads) {
            super(dataSource);
            this.threads = threads;
        }

        @Override
        public Connection getConnection() throws SQLException {
            String thread = Thread.currentThread().getName();
            if (!thread.startsWith("retryon-") && !thread.equals("main")) {
                threads.add(thread);
            }
            return super.getConnection();
        }
    }

    /** The remote service. A script for each call decides how an attempt ends. */
    static class Partner {

        private final Map<String, IntFunction<CompletableFuture<Void>>> scripts = new ConcurrentHashMap<>();

        private final Map<String, List<Seen>> seen = new ConcurrentHashMap<>();

        private final Set<String> recoveries = ConcurrentHashMap.newKeySet();

        int see(String id) {
            RetryContext call = RetryContext.current();
            seen.computeIfAbsent(id, key -> new CopyOnWriteArrayList<>())
                    .add(new Seen(
                            call.attempt(),
                            call.callId(),
                            call.isDurable(),
                            Thread.currentThread().getName()));
            return call.attempt();
        }

        CompletableFuture<Void> attempt(String id) {
            return scripts.get(id).apply(see(id));
        }
    }

    static class Mails {

        private final Partner partner;

        Mails(Partner partner) {
            this.partner = partner;
        }

        @Durable(ON_FAILURE)
        public CompletableFuture<Void> future(String id) {
            return partner.attempt(id);
        }

        @Durable(ON_FAILURE)
        public CompletionStage<Void> stage(String id) {
            return partner.attempt(id);
        }

        @Durable(ON_FAILURE)
        public Mono<Void> mono(String id) {
            return Mono.fromFuture(() -> partner.attempt(id));
        }

        @Durable(OUTBOX)
        public CompletableFuture<Void> futureLater(String id) {
            return partner.attempt(id);
        }

        @Durable(OUTBOX)
        public CompletionStage<Void> stageLater(String id) {
            return partner.attempt(id);
        }

        @Durable(OUTBOX)
        public Mono<Void> monoLater(String id) {
            return Mono.fromFuture(() -> partner.attempt(id));
        }

        @Async
        @Durable(ON_FAILURE)
        public CompletableFuture<Void> background(String id) {
            return partner.attempt(id);
        }

        @Durable(ON_FAILURE)
        public Mono<Void> unmade(String id) throws IOException {
            if (partner.see(id) == 1) {
                throw new IOException("down");
            }
            return Mono.empty();
        }

        @RetryOn(maxAttempts = 2, recover = "recover")
        @Durable(ON_FAILURE)
        public Mono<Void> recovered(String id) {
            return Mono.fromFuture(() -> partner.attempt(id));
        }

        Mono<Void> recover(String id) {
            return Mono.fromRunnable(() -> partner.recoveries.add(id));
        }

        @RetryOn(maxAttempts = 1, recover = "recover")
        @Durable(value = OUTBOX, initialDelay = "1h")
        public Mono<Void> lost(String id) {
            return Mono.fromFuture(() -> partner.attempt(id));
        }
    }
}

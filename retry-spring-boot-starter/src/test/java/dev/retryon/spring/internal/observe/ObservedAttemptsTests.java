// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.report.ExtensionErrors;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Each attempt as an observation, with {@code retryon.observations.attempts}. */
@Timeout(60)
class ObservedAttemptsTests {

    private final ObservationRegistry registry = ObservationRegistry.create();

    /** The attempts whose observation has ended. */
    private final List<Observation.Context> attempts = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner off = Telemetry.application()
            .withBean(ObservationRegistry.class, () -> registry)
            .withBean(Gateway.class);

    private final ApplicationContextRunner on = off.withPropertyValues("retryon.observations.attempts=true");

    ObservedAttemptsTests() {
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {

            @Override
            public void onStop(Observation.Context context) {
                if (context.getName().equals("retryon.attempt")) {
                    attempts.add(context);
                }
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    /** Runs a test within the observation of a request. */
    private void within(Consumer<Gateway> test) {
        on.run(context -> Observation.createNotStarted("order", registry)
                .observe(() -> test.accept(context.getBean(Gateway.class))));
    }

    private static @Nullable String value(Observation.Context attempt, String key) {
        KeyValue pair = attempt.getHighCardinalityKeyValue(key);
        return pair == null ? null : pair.getValue();
    }

    private List<@Nullable String> values(String key) {
        List<@Nullable String> values = new ArrayList<>();
        attempts.forEach(attempt -> values.add(value(attempt, key)));
        return values;
    }

    private @Nullable Observation current() {
        return registry.getCurrentObservation();
    }

    private void allAreChildrenOfTheRequest() {
        assertThat(attempts).isNotEmpty().allSatisfy(attempt -> {
            ObservationView parent = attempt.getParentObservation();
            assertThat(parent).isNotNull();
            assertThat(parent.getContextView().getName()).isEqualTo("order");
        });
    }

    @Test
    void isOffByDefault() {
        off.run(context -> Observation.createNotStarted("order", registry)
                .observeChecked(() -> context.getBean(Payments.class).charge(2)));
        assertThat(attempts).isEmpty();
    }

    @Test
    void observesEachAttemptAsAChildOfTheCurrentObservation() {
        on.run(context -> Observation.createNotStarted("order", registry).observeChecked(() -> {
            Observation order = current();
            context.getBean(Payments.class).charge(2);
            assertThat(current()).isSameAs(order);
        }));
        allAreChildrenOfTheRequest();
        assertThat(values("retry.attempt")).containsExactly("1", "2", "3");
        assertThat(values("error.type")).containsExactly("java.io.IOException", "java.io.IOException", null);
        assertThat(values("code.function.name")).containsOnly("dev.retryon.spring.internal.observe.Payments.charge");
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.getContextualName()).isEqualTo("attempt Payments.charge");
            assertThat(attempt.getLowCardinalityKeyValues()).containsExactly(KeyValue.of("name", "Payments.charge"));
        });
        assertThat(attempts.get(0).getError()).isInstanceOf(IOException.class);
        assertThat(attempts.get(2).getError()).isNull();
    }

    @Test
    void observesAttemptsWithoutACurrentObservation() {
        on.run(context -> context.getBean(Payments.class).charge(1));
        assertThat(attempts)
                .hasSize(2)
                .allSatisfy(
                        attempt -> assertThat(attempt.getParentObservation()).isNull());
    }

    @Test
    void isCurrentDuringAnAttempt() {
        within(gateway -> assertThat(gateway.current(registry)).isEqualTo("retryon.attempt"));
    }

    @Test
    void marksRetriesOnTheObservationOfTheCaller() {
        on.run(context -> {
            Observation order = Observation.start("order", registry);
            order.scopedChecked(() -> context.getBean(Payments.class).charge(1));
            order.stop();
            assertThat(value(order.getContext(), "retry.name")).isEqualTo("Payments.charge");
        });
        assertThat(values("retry.name")).containsOnlyNulls();
    }

    @Test
    void doesWithoutARegistry() {
        Telemetry.application()
                .withPropertyValues("retryon.observations.attempts=true")
                .run(context ->
                        assertThat(context.getBean(Payments.class).charge(2)).isEqualTo("charged"));
    }

    @Test
    void endsWithTheFutureOfAnAttempt() {
        within(gateway -> {
            CompletableFuture<String> sent = gateway.future();
            assertThat(current().getContextView().getName()).isEqualTo("order");
            assertThat(attempts).isEmpty();
            gateway.next().completeExceptionally(new CompletionException(new IOException("down")));
            assertThat(attempts).hasSize(1);
            gateway.next().complete("sent");
            assertThat(sent.join()).isEqualTo("sent");
        });
        allAreChildrenOfTheRequest();
        assertThat(values("retry.attempt")).containsExactly("1", "2");
        assertThat(values("error.type")).containsExactly("java.io.IOException", null);
    }

    @Test
    void aCancelledFutureCancelsItsAttempt() {
        within(gateway -> {
            gateway.future().cancel(true);
            assertThat(gateway.next()).isCancelled();
        });
        assertThat(values("error.type")).containsExactly(CancellationException.class.getName());
    }

    @Test
    void aStageThatCannotBeCancelledIsGivenUp() {
        within(gateway -> gateway.stage().toCompletableFuture().cancel(true));
        assertThat(values("error.type")).containsExactly(CancellationException.class.getName());
    }

    @Test
    void anAttemptThatTakesTooLongIsCancelled() {
        Telemetry.realTime()
                .withBean(ObservationRegistry.class, () -> registry)
                .withBean(Gateway.class)
                .withPropertyValues("retryon.observations.attempts=true")
                .run(context -> assertThatExceptionOfType(CompletionException.class)
                        .isThrownBy(() -> context.getBean(Gateway.class).slow().join())
                        .withCauseInstanceOf(AttemptTimeoutException.class));
        // The attempt is cancelled after the caller has its answer.
        await().untilAsserted(
                        () -> assertThat(values("error.type")).containsExactly(CancellationException.class.getName()));
    }

    @Test
    void endsAtTheReturnOfAPlainFuture() {
        within(gateway -> assertThat(gateway.plain()).isNotDone());
        assertThat(values("error.type")).containsOnlyNulls().hasSize(1);
    }

    @Test
    void endsWithTheMonoOfAnAttemptAndIsInItsContext() {
        within(gateway -> assertThat(gateway.mono(1).block()).isEqualTo("retryon.attempt 2"));
        allAreChildrenOfTheRequest();
        assertThat(values("retry.attempt")).containsExactly("1", "2");
        assertThat(values("error.type")).containsExactly("java.io.IOException", null);
    }

    @Test
    void aCancelledMonoHasAnError() {
        within(gateway -> gateway.never().subscribe().dispose());
        assertThat(values("error.type")).containsExactly(CancellationException.class.getName());
    }

    @Test
    void endsWithTheStreamOfAnAttempt() {
        within(gateway -> assertThat(gateway.flux(1).collectList().block()).containsExactly(1, 2, 3));
        allAreChildrenOfTheRequest();
        assertThat(values("error.type")).containsExactly("java.io.IOException", null);
    }

    @Test
    void aSubscriberThatHasReceivedEnoughIsNoError() {
        within(gateway ->
                assertThat(gateway.flux(0).take(2).collectList().block()).containsExactly(1, 2));
        assertThat(values("error.type")).containsOnlyNulls().hasSize(1);
    }

    @Test
    void aHandlerThatFailsChangesNoCall() {
        registry.observationConfig().observationHandler(new FailingHandler());
        on.run(context -> {
            assertThat(context.getBean(Payments.class).charge(1)).isEqualTo("charged");
            assertThat(current()).isNull();
            assertThat(context.getBean(ExtensionErrors.class)
                            .count(ExtensionErrors.Kind.OBSERVATION, "Payments.charge"))
                    .isEqualTo(7); // 7 = 2 · (start, scope, stop) + 1 error
        });
    }

    @Test
    void anErrorThatFailsWhenAskedForItsCauseChangesNoCall() {
        within(gateway -> {
            CompletableFuture<String> sent = gateway.future();
            gateway.next().completeExceptionally(new ErrorWithoutCause());
            gateway.next().complete("sent");
            assertThat(sent.join()).isEqualTo("sent");
        });
        assertThat(values("error.type")).containsExactly(ErrorWithoutCause.class.getName(), null);
    }

    static class ErrorWithoutCause extends IOException {

        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            // Only the observation asks in this way: the policy accepts the error before it looks for causes.
            for (StackTraceElement caller : new Throwable().getStackTrace()) {
                if (caller.getClassName().equals(ObservedAttempt.class.getName())) {
                    throw new IllegalStateException("broken");
                }
            }
            return super.getCause();
        }
    }

    /** Methods of all styles. */
    static class Gateway {

        private final BlockingQueue<CompletableFuture<String>> running = new LinkedBlockingQueue<>();

        /** Waits until the next attempt of {@link #future} runs, and returns its future. */
        CompletableFuture<String> next() {
            try {
                return running.take();
            } catch (InterruptedException ex) {
                throw new AssertionError(ex);
            }
        }

        @RetryOn(IOException.class)
        public String current(ObservationRegistry registry) {
            return String.valueOf(
                    registry.getCurrentObservation().getContextView().getName());
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> future() {
            CompletableFuture<String> future = new CompletableFuture<>();
            running.add(future);
            return future;
        }

        @RetryOn(IOException.class)
        public CompletionStage<String> stage() {
            return new CompletableFuture<String>().minimalCompletionStage();
        }

        @RetryOn(value = IOException.class, maxAttempts = 1, attemptTimeout = "10ms")
        public CompletableFuture<String> slow() {
            return new CompletableFuture<>();
        }

        @RetryOn(IOException.class)
        public Future<String> plain() {
            return new FutureTask<>(() -> "sent");
        }

        @RetryOn(IOException.class)
        public Mono<String> mono(int failures) {
            return Mono.deferContextual(view -> {
                int attempt = view.get(RetryContext.class).attempt();
                Observation observation = view.get(ObservationThreadLocalAccessor.KEY);
                return attempt <= failures
                        ? Mono.error(new IOException("down"))
                        : Mono.just(observation.getContextView().getName() + " " + attempt);
            });
        }

        @RetryOn(IOException.class)
        public Mono<String> never() {
            return Mono.never();
        }

        @RetryOn(IOException.class)
        public Flux<Integer> flux(int failures) {
            return Flux.deferContextual(view -> view.get(RetryContext.class).attempt() <= failures
                    ? Flux.error(new IOException("down"))
                    : Flux.just(1, 2, 3));
        }
    }

    static class FailingHandler implements ObservationHandler<Observation.Context> {

        @Override
        public void onStart(Observation.Context context) {
            throw new IllegalStateException("broken");
        }

        @Override
        public void onError(Observation.Context context) {
            throw new IllegalStateException("broken");
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            throw new IllegalStateException("broken");
        }

        @Override
        public void onStop(Observation.Context context) {
            throw new IllegalStateException("broken");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}

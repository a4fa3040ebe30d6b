// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Extensions that run retried calls themselves, while the system behind those calls is down. */
class NestedCallsOfExtensionsTests {

    /** Ends a test that would otherwise never end. */
    private static final int TOO_MANY = 100;

    private final VirtualTime time = new VirtualTime();

    private final List<RetryEvent> observed = new ArrayList<>();

    private int alerts;

    /** The retried call that the extension runs. */
    private @Nullable Retry alerting;

    private String alert() throws IOException {
        if (++alerts > TOO_MANY) {
            throw new AssertionError("the extension is called again and again");
        }
        throw new IOException("the pager is down");
    }

    /** Runs the retried call, and ignores its failure. */
    private void raise() {
        if (alerts <= TOO_MANY && alerting != null) {
            var unused = alerting.capture(this::alert);
        }
    }

    private static RetryPolicyBuilder policy() {
        return Trial.policy().maxAttempts(3);
    }

    /** An extension that runs a retried call. */
    enum Extension {
        LISTENER(policy -> policy, test -> test.engine().listener(event -> test.raise())),

        DECIDER(
                policy -> policy,
                test -> test.engine().decider(new RetryDecider() {
                    @Override
                    public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                        test.raise();
                        return true;
                    }
                })),

        DELAY_OF_DECIDER(
                policy -> policy,
                test -> test.engine().decider(new RetryDecider() {
                    @Override
                    public Duration delay(RetryContext context, @Nullable Throwable error) {
                        test.raise();
                        return Duration.ofSeconds(1);
                    }
                })),

        RESOLVER(
                policy -> policy,
                test -> test.engine().hintResolver((error, call) -> {
                    test.raise();
                    return null;
                })),

        EXTENSION_ERRORS(
                policy -> policy.onlyIf((error, call) -> {
                    throw new IllegalStateException("broken gate");
                }),
                test -> test.engine().extensionErrorListener((source, name, sentence, cause) -> test.raise())),

        ROLLBACK(
                policy -> policy,
                test -> test.engine().rollbackOnly(call -> {
                    test.raise();
                    return false;
                }));

        final UnaryOperator<RetryPolicyBuilder> policy;

        final Function<NestedCallsOfExtensionsTests, RetryEngineBuilder> engine;

        Extension(
                UnaryOperator<RetryPolicyBuilder> policy,
                Function<NestedCallsOfExtensionsTests, RetryEngineBuilder> engine) {
            this.policy = policy;
            this.engine = engine;
        }
    }

    private RetryEngineBuilder engine() {
        return time.engine();
    }

    @ParameterizedTest
    @EnumSource
    void anExtensionIsNotCalledForTheCallsThatItRuns(Extension extension) {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            RetryEngine engine =
                    extension.engine.apply(this).listener(observed::add).build();
            RetryPolicy policy = extension.policy.apply(policy()).build();
            alerting = Retry.builder("alerting", policy).engine(engine).build();

            Retry failing = Retry.builder("failing", policy).engine(engine).build();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> failing.run(() -> {
                        throw new IOException("down");
                    }));

            assertThat(alerts).as("attempts of the calls of the extension").isBetween(1, TOO_MANY);
        }
    }

    /** A function of a policy or a retry that runs a call with the same policy or retry. */
    enum OfOneRetry {
        ONLY_IF(
                (policy, test) -> policy.onlyIf((error, call) -> {
                    test.raise();
                    return true;
                }),
                (retry, test) -> retry),

        UNLESS(
                (policy, test) -> policy.unless((error, call) -> {
                    test.raise();
                    return false;
                }),
                (retry, test) -> retry),

        BACKOFF(
                (policy, test) -> policy.backoff((retry, base, previous) -> {
                    test.raise();
                    return base;
                }),
                (retry, test) -> retry),

        BUDGET_KEY(
                (policy, test) -> policy.budget(RetryBudget.builder().build(), call -> {
                    test.raise();
                    return "tenant";
                }),
                (retry, test) -> retry),

        LISTENER((policy, test) -> policy, (retry, test) -> retry.listener(event -> test.raise())),

        BEFORE_RETRY((policy, test) -> policy, (retry, test) -> retry.beforeRetry((subject, call) -> test.raise())),

        DESCRIPTION(
                (policy, test) -> policy.onlyIf((error, call) -> call.subject() != null),
                (retry, test) -> retry.subjects(subject -> {
                    test.raise();
                    return CallSubject.of("described", subject);
                }));

        final BiFunction<RetryPolicyBuilder, NestedCallsOfExtensionsTests, RetryPolicyBuilder> policy;

        final BiFunction<RetryBuilder, NestedCallsOfExtensionsTests, RetryBuilder> retry;

        OfOneRetry(
                BiFunction<RetryPolicyBuilder, NestedCallsOfExtensionsTests, RetryPolicyBuilder> policy,
                BiFunction<RetryBuilder, NestedCallsOfExtensionsTests, RetryBuilder> retry) {
            this.policy = policy;
            this.retry = retry;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFunctionOfARetryIsNotCalledForTheCallsThatItRuns(OfOneRetry function) {
        RetryPolicy policy = function.policy.apply(policy(), this).build();
        RetryBuilder builder = Retry.builder("failing", policy)
                .engine(engine().listener(observed::add).build());
        alerting = function.retry.apply(builder, this).build();

        Retry failing = alerting;
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> failing.run(() -> {
                    throw new IOException("down");
                }));

        assertThat(alerts).as("attempts of the calls of the function").isBetween(1, TOO_MANY);
    }

    @Test
    void aRetryIfIsNotAskedAboutTheValuesOfTheCallsThatItRuns() {
        List<String> asked = new ArrayList<>();
        RetryPolicy policy = policy().retryIf((value, call) -> {
                    asked.add(String.valueOf(value));
                    if (asked.size() < TOO_MANY && alerting != null) {
                        var unused = alerting.capture(() -> "nested");
                    }
                    return false;
                })
                .build();
        alerting = Retry.builder("asked", policy).engine(engine().build()).build();

        assertThat(alerting.call(() -> "up")).isEqualTo("up");

        assertThat(asked).containsExactly("up");
    }

    @Test
    void theCallsOfAListenerAreRetriedAndSeenByTheOtherListeners() {
        RetryEngine engine = engine().listener(event -> {
                    if (event instanceof RetryFailed) {
                        raise();
                    }
                })
                .listener(observed::add)
                .build();
        alerting = Retry.builder("alerting", policy().build()).engine(engine).build();
        Retry failing =
                Retry.builder("failing", policy().build()).engine(engine).build();

        for (int i = 1; i <= 2; i++) {
            observed.clear();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> failing.run(() -> {
                        throw new IOException("down");
                    }));

            assertThat(observed)
                    .extracting(event -> event.name() + " " + event.getClass().getSimpleName())
                    .containsExactly(
                            "failing RetryScheduled",
                            "failing RetryScheduled",
                            "alerting RetryScheduled",
                            "alerting RetryScheduled",
                            "alerting RetryFailed",
                            "failing RetryFailed");
            assertThat(alerts).isEqualTo(3 * i);
        }
    }

    /** The steps of an asynchronous call run later, perhaps on another thread. It is the listener's call all the same. */
    @Test
    void aListenerReceivesNoEventsOfAnAsynchronousCallThatItHasStarted() {
        Queue<CompletableFuture<String>> stages = new ArrayDeque<>();
        List<String> heard = new ArrayList<>();
        RetryEngine engine = RetryEngine.builder()
                .executor(Runnable::run)
                .listener(event -> {
                    heard.add(event.name());
                    if (event instanceof RetryFailed && alerting != null) {
                        var unused = alerting.callAsync(() -> {
                            CompletableFuture<String> stage = new CompletableFuture<>();
                            stages.add(stage);
                            return stage;
                        });
                    }
                })
                .listener(observed::add)
                .build();
        RetryPolicy policy = policy().delay(Duration.ZERO).jitter(Jitter.none()).build();
        alerting = Retry.builder("alerting", policy).engine(engine).build();

        Retry failing = Retry.builder("failing", policy).engine(engine).build();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> failing.run(() -> {
                    throw new IOException("down");
                }));
        int completed = 0;
        while (!stages.isEmpty() && completed < TOO_MANY) {
            stages.remove().completeExceptionally(new IOException("the pager is down"));
            completed++;
        }

        assertThat(completed).isEqualTo(3);
        assertThat(heard).hasSize(3).containsOnly("failing");
        assertThat(observed)
                .filteredOn(event -> event.name().equals("alerting"))
                .hasSize(3);
    }

    /** Each hook of the context starts a call, whose context would be captured again. */
    @Test
    void aContextCaptureIsNotCalledForTheCallsThatItRuns() {
        List<String> steps = new ArrayList<>();
        RetryEngine engine = RetryEngine.builder()
                .executor(Runnable::run)
                .contextCapture(() -> {
                    raiseAsync(steps, "capture");
                    return () -> {
                        raiseAsync(steps, "restore");
                        return () -> raiseAsync(steps, "close");
                    };
                })
                .build();
        RetryPolicy policy = policy().delay(Duration.ZERO).jitter(Jitter.none()).build();
        alerting = Retry.builder("alerting", policy).engine(engine).build();
        Retry failing = Retry.builder("failing", policy).engine(engine).build();

        CompletableFuture<String> failed =
                failing.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        assertThat(failed).isCompletedExceptionally();
        assertThat(steps).first().isEqualTo("capture");
        assertThat(steps).filteredOn("capture"::equals).hasSize(1);
        assertThat(steps).hasSizeLessThan(TOO_MANY);
        assertThat(steps.stream().filter("restore"::equals).count())
                .isEqualTo(steps.stream().filter("close"::equals).count());
        assertThat(alerts).isEqualTo(3 * steps.size());
    }

    private void raiseAsync(List<String> steps, String step) {
        steps.add(step);
        if (steps.size() < TOO_MANY && alerting != null) {
            var unused = alerting.callAsync(() -> {
                alerts++;
                return CompletableFuture.failedFuture(new IOException("the pager is down"));
            });
        }
    }

    @Test
    void aDeciderThatRunsACallIsAskedAboutTheNextCallOfTheThread() {
        List<String> asked = new ArrayList<>();
        RetryEngine engine = engine().decider(new RetryDecider() {
                    @Override
                    public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                        asked.add(context.name());
                        raise();
                        throw new IllegalStateException("broken");
                    }
                })
                .build();
        alerting = Retry.builder("alerting", policy().build()).engine(engine).build();
        Retry failing =
                Retry.builder("failing", policy().build()).engine(engine).build();

        try (LoggedWarnings warnings = new LoggedWarnings()) {
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(IOException.class)
                        .isThrownBy(() -> failing.run(() -> {
                            throw new IOException("down");
                        }));
            }
        }

        assertThat(asked).containsExactly("failing", "failing");
    }

    /** A recovery is a part of the call. It can run the call again, for example elsewhere, and ends by itself. */
    @Test
    void aRecoveryMayRunItsOwnCallAgain() throws Exception {
        Queue<String> regions = new ArrayDeque<>(List.of("Dublin", "Frankfurt"));
        Retry[] booking = new Retry[1];
        booking[0] = Retry.builder("booking", policy().build())
                .engine(engine().build())
                .uncheckedRecovery((subject, thrown, context) -> {
                    String region = regions.poll();
                    return region == null
                            ? "none"
                            : booking[0].call(() -> {
                                throw new IOException(region + " is down");
                            });
                })
                .build();

        Object booked = booking[0].call(() -> {
            throw new IOException("Paris is down");
        });

        assertThat(booked).isEqualTo("none");
    }
}

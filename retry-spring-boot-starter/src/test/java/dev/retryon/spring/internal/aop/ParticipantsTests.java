// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEngine;
import dev.retryon.RetryFailed;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import dev.retryon.RetryListener;
import dev.retryon.RetryResult;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.RetryTime;
import dev.retryon.StopReason;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Beans of the user's that take part, and the log context. */
@ExtendWith(OutputCaptureExtension.class)
class ParticipantsTests {

    private final List<Duration> waits = new ArrayList<>();

    private final ApplicationContextRunner runner = Applications.retrying().withBean(Work.class);

    @AfterEach
    void clearLogContext() {
        MDC.clear();
    }

    @Test
    void listenersAreToldInTheirOrder() {
        runner.withUserConfiguration(Ordered.class).run(context -> {
            assertThat(context.getBean(Work.class).run(1)).isEqualTo(2);
            assertThat(context.getBean(Ordered.class).story)
                    .containsExactly(
                            "first decider",
                            "second decider",
                            "first RetryScheduled",
                            "second RetryScheduled",
                            "first RetrySucceeded",
                            "second RetrySucceeded");
        });
    }

    @Test
    void eventsTellOfRetriesAndTheEnd() {
        List<Object> events = new ArrayList<>();
        runner.withBean(RetryListener.class, () -> events::add).run(context -> {
            Work work = context.getBean(Work.class);
            work.run(0);
            assertThat(events).as("a call that succeeds at once says nothing").isEmpty();
            work.run(1);
            assertThat(events).hasExactlyElementsOfTypes(RetryScheduled.class, RetrySucceeded.class);
            events.clear();
            assertThatThrownBy(() -> work.run(9)).isInstanceOf(IOException.class);
            assertThat(events).hasExactlyElementsOfTypes(RetryScheduled.class, RetryScheduled.class, RetryFailed.class);
        });
    }

    @Test
    void oneNoOfADeciderIsEnough() {
        runner.withBean("yes", RetryDecider.class, () -> new RetryDecider() {})
                .withBean("no", RetryDecider.class, () -> new RetryDecider() {
                    @Override
                    public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                        return false;
                    }
                })
                .run(context -> {
                    RetryResult<Integer> result =
                            Retries.capture(() -> context.getBean(Work.class).run(9));
                    assertThat(result.attempts()).isEqualTo(1);
                    assertThat(result.stopReason()).isEqualTo(StopReason.REJECTED);
                });
    }

    @Test
    void theFirstDeciderThatNamesADelaySetsIt() {
        runner.withBean("silent", RetryDecider.class, () -> delaying(Duration.ZERO))
                .withBean("short", RetryDecider.class, () -> delaying(Duration.ofMillis(1)))
                .run(context -> assertThat(Retries.capture(
                                        () -> context.getBean(Work.class).run(1))
                                .delays())
                        .containsExactly(Duration.ofMillis(1)));
    }

    private static RetryDecider delaying(Duration delay) {
        return new RetryDecider() {
            @Override
            public Duration delay(RetryContext context, @Nullable Throwable error) {
                return delay;
            }
        };
    }

    @Test
    void aDeciderThatThrowsDoesNotHideTheError() {
        runner.withBean(RetryDecider.class, () -> new RetryDecider() {
                    @Override
                    public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                        throw new IllegalStateException("decider");
                    }
                })
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Work.class).run(9))
                        .isInstanceOf(IOException.class)
                        .hasMessage("attempt 1")
                        .satisfies(thrown -> assertThat(thrown.getSuppressed())
                                .anySatisfy(suppressed -> assertThat(suppressed).hasMessage("decider"))));
    }

    @Test
    void aHintResolverNamesErrors() {
        runner.withBean("silent", RetryHintResolver.class, () -> (error, context) -> null)
                .withBean(
                        "codes",
                        RetryHintResolver.class,
                        () -> (error, context) -> RetryHint.ofErrorCode("shop." + error.getMessage()))
                .withPropertyValues("retryon.defaults.non-retryable-errors=shop.attempt 2")
                .run(context -> assertThat(Retries.capture(
                                () -> context.getBean(Work.class).run(9)))
                        .satisfies(result -> {
                            assertThat(result.attempts()).isEqualTo(2);
                            assertThat(result.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
                        }));
    }

    @Test
    void aBackoffStrategyIsABeanByName() {
        recording()
                .withBean(
                        "tens", BackoffStrategy.class, () -> (retry, base, previous) -> Duration.ofSeconds(10L * retry))
                .withPropertyValues("retryon.defaults.backoff=tens", "retryon.defaults.jitter=none")
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Work.class).run(9)).isInstanceOf(IOException.class);
                    assertThat(waits).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(20));
                });
    }

    @Test
    void aBackoffStrategyMayBeAMethodOfTheBean() {
        recording().withPropertyValues("retryon.defaults.jitter=none").run(context -> {
            Work work = context.getBean(Work.class);
            assertThatThrownBy(() -> Retries.with(o -> o.backoff("seconds")
                                    .delay(Duration.ofSeconds(1))
                                    .maxAttempts(4))
                            .run(() -> work.run(9)))
                    .isInstanceOf(IOException.class);
            assertThat(waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3));
            waits.clear();
            Retries.with(o -> o.backoff("doubled").delay(Duration.ofSeconds(1)).maxAttempts(4))
                    .capture(() -> work.run(9));
            assertThat(waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
        });
    }

    @Test
    void aBackoffMethodOfTheBeanBeatsABeanOfThatName() {
        recording()
                .withBean("seconds", BackoffStrategy.class, () -> (retry, base, previous) -> Duration.ofDays(1))
                .withPropertyValues("retryon.defaults.backoff=seconds", "retryon.defaults.jitter=none")
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Work.class).run(9)).isInstanceOf(IOException.class);
                    assertThat(waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
                });
    }

    @Test
    void anUnknownBackoffIsAFaultThatListsAllNames() {
        runner.withBean("tens", BackoffStrategy.class, () -> (retry, base, previous) -> base)
                .withPropertyValues("retryon.defaults.backoff=cubic")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .contains("retryon.defaults", "'cubic'", "fibonacci", "tens", Work.class.getName()));
    }

    private ApplicationContextRunner recording() {
        return runner.withBean(
                RetryEngine.class,
                () -> RetryEngine.builder()
                        .time(new RetryTime() {
                            @Override
                            public void sleep(Duration delay) {
                                waits.add(delay);
                            }
                        })
                        .build());
    }

    @Test
    void anEngineOfTheUsersOwnReplacesOurs() {
        recording()
                .withPropertyValues(
                        "retryon.defaults.backoff=fixed", "retryon.defaults.delay=1h", "retryon.defaults.jitter=none")
                .run(context -> {
                    assertThat(context).hasSingleBean(RetryEngine.class);
                    assertThat(context.getBean(Work.class).run(1)).isEqualTo(2);
                    assertThat(waits).containsExactly(Duration.ofHours(1));
                });
    }

    @Test
    void laterAttemptsAreNamedInTheLogContext() {
        runner.run(context -> {
            Work work = context.getBean(Work.class);
            MDC.put("retry.name", "of the caller");
            work.run(2);
            assertThat(work.logged()).containsExactly("of the caller null", "Work.run 2", "Work.run 3");
            assertThat(MDC.get("retry.name")).as("restored").isEqualTo("of the caller");
            assertThat(MDC.get("retry.attempt")).isNull();
            assertThatThrownBy(() -> work.run(9)).isInstanceOf(IOException.class);
            assertThat(MDC.get("retry.name")).isEqualTo("of the caller");
            assertThat(MDC.get("retry.attempt")).isNull();
        });
    }

    static class Work {

        private final List<String> logged = new ArrayList<>();

        List<String> logged() {
            return logged;
        }

        @RetryOn(IOException.class)
        public int run(int failures) throws IOException {
            logged.add(MDC.get("retry.name") + " " + MDC.get("retry.attempt"));
            int attempt = RetryContext.current().attempt();
            if (attempt <= failures) {
                throw new IOException("attempt " + attempt);
            }
            return attempt;
        }

        Duration seconds(int retry, Duration base) {
            return base.multipliedBy(retry);
        }

        Duration doubled(int retry, Duration base, @Nullable Duration previous) {
            return previous == null ? base : previous.multipliedBy(2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Ordered {

        final List<String> story = new ArrayList<>();

        @Bean
        @Order(2)
        RetryListener secondListener() {
            return event -> story.add("second " + event.getClass().getSimpleName());
        }

        @Bean
        @Order(1)
        RetryListener firstListener() {
            return event -> story.add("first " + event.getClass().getSimpleName());
        }

        @Bean
        @Order(2)
        RetryDecider secondDecider() {
            return deciding("second decider");
        }

        @Bean
        @Order(1)
        RetryDecider firstDecider() {
            return deciding("first decider");
        }

        private RetryDecider deciding(String who) {
            return new RetryDecider() {
                @Override
                public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                    return story.add(who);
                }
            };
        }
    }
}

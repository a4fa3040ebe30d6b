// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whoever prints an object of this library, such as a debugger or a logger, runs no code that users plugged in. */
class ToStringTests {

    private static final String NAME = "printed";

    /** Set while objects are printed. */
    private boolean printing;

    /** What code of users ran meanwhile. */
    private final List<String> ran = new ArrayList<>();

    private final List<Object> printed = new ArrayList<>();

    @Test
    void noCodeOfUsersRunsThere() {
        printing = true;
        assertThat(new Hostile().toString())
                .as("this test notices code of users")
                .isNotNull();
        assertThat(ran).containsExactly("toString");
        ran.clear();
        printing = false;

        RetryPolicy policy = policy().build();
        RetrySwitch retrySwitch = new RetrySwitch();
        RetryEngineBuilder engine = engine();
        RetryBuilder builder = retry(Retry.builder(NAME, policy).engine(engine.build()), retrySwitch);
        Retry retry = builder.uncheckedRecovery((subject, thrown, context) -> {
                    printed.add(context);
                    throw thrown;
                })
                .build();
        printed.addAll(List.of(policy, policy(), retrySwitch, engine, engine.build(), builder, retry));
        printed.addAll(policy.schedule(1));
        printed.add(policy.budget());

        fail(retry);
        RetryResult<Object> recovered = retry(Retry.builder(NAME, policy).engine(engine.build()), retrySwitch)
                .uncheckedRecovery((subject, thrown, context) -> new Hostile())
                .build()
                .capture(new Hostile(), (subject, attempt) -> new Hostile());
        assertThat(recovered.value()).isInstanceOf(Hostile.class);
        printed.add(recovered);
        CompletableFuture<Object> failed = retry.callAsync(() -> CompletableFuture.failedFuture(new Hostile()));
        CompletableFuture<Object> completed = Retry.of(
                        NAME, RetryPolicy.builder().build())
                .callAsync(() -> CompletableFuture.completedFuture(new Hostile()));
        assertThat(failed).isCompletedExceptionally();
        assertThat(completed).isCompleted();
        printed.addAll(List.of(failed, completed));
        printed.addAll(List.of(
                CallState.first("id", Instant.EPOCH),
                new CallState.Failed(1, ErrorText.of(new Hostile()), Duration.ZERO, null),
                ErrorText.of(new Hostile()),
                CallSubject.of("key", new Hostile(), new Hostile()),
                Backoff.fixed(),
                Jitter.none()));

        printing = true;
        assertThat(printed).allSatisfy(each -> assertThat(each.toString()).isNotNull());
        printing = false;
        assertThat(ran).isEmpty();
        assertThat(typesWithTextOfTheirOwn())
                .filteredOn(type -> printed.stream().noneMatch(type::isInstance))
                .as("what is not printed above")
                .isEmpty();
    }

    private RetryPolicyBuilder policy() {
        return RetryPolicy.builder()
                .retryOn(Exception.class)
                .maxAttempts(3)
                .delay(Duration.ofNanos(1))
                .backoff(new Hostile().strategy())
                .budget(RetryBudget.builder().minPerSecond(1000).build())
                .onExhaustion(ExhaustionAction.DEAD_LETTER)
                .onlyIf((error, context) -> note("gate"))
                .unless((error, context) -> !note("gate"))
                .retryIf((value, context) -> note("gate"));
    }

    private RetryEngineBuilder engine() {
        return RetryEngine.builder()
                .time(new RetryTime() {
                    @Override
                    public void sleep(Duration delay) {
                        note("time");
                    }

                    @Override
                    public Handle schedule(Runnable task, Duration delay) {
                        note("time");
                        task.run();
                        return () -> {};
                    }
                })
                .listener(event -> {
                    note("listener");
                    printed.add(event);
                })
                .decider(new Hostile())
                .hintResolver((error, call) -> {
                    note("resolver");
                    return null;
                })
                .executor(Runnable::run)
                .deadLetters(call -> {
                    printed.add(call);
                    printed.add(call.state());
                });
    }

    private RetryBuilder retry(RetryBuilder builder, RetrySwitch retrySwitch) {
        return builder.retrySwitch(retrySwitch)
                .subjects(subject -> CallSubject.of("key", new Hostile(), subject, new Hostile()));
    }

    private void fail(Retry retry) {
        RetryResult<Object> result = retry.capture(new Hostile(), (subject, attempt) -> {
            RetryContext context = RetryContext.current();
            assertThat(context).isNotNull();
            printed.add(context);
            throw new Hostile();
        });
        assertThat(result.attempts()).as("%s", result.stopReason()).isEqualTo(3);
        assertThat(result.error()).isInstanceOf(Hostile.class);
        printed.add(result);
        assertThat(result.error().getSuppressed()).singleElement().isInstanceOf(RetryHistory.class);
        printed.add(result.error().getSuppressed()[0]);
        Object value = retry.toBuilder(RetryPolicy.builder()
                        .retryOn(Exception.class)
                        .maxAttempts(2)
                        .delay(Duration.ZERO)
                        .build())
                .build()
                .capture(new Hostile(), (subject, attempt) -> {
                    if (attempt == 1) {
                        throw new Hostile();
                    }
                    return new Hostile();
                })
                .value();
        assertThat(value).isInstanceOf(Hostile.class);
    }

    /** Public types of the core, and those that users get in place of a public one, that say themselves how they print. */
    private static Set<Class<?>> typesWithTextOfTheirOwn() {
        return new ClassFileImporter()
                .importUrl(Retry.class.getProtectionDomain().getCodeSource().getLocation()).stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)
                                || type.getSimpleName().equals("RetryFuture"))
                        .filter(type -> type.tryGetMethod("toString").isPresent())
                        .filter(type -> !type.isEnum())
                        .<Class<?>>map(JavaClass::reflect)
                        .collect(Collectors.toSet());
    }

    /** Records that code of users runs. */
    private boolean note(String what) {
        if (printing) {
            ran.add(what);
        }
        return true;
    }

    /** An error, decider, argument, target or value, each of whose methods is code of users. */
    private final class Hostile extends Exception implements RetryHint, RetryDecider {

        private static final long serialVersionUID = 1L;

        BackoffStrategy strategy() {
            return new BackoffStrategy() {
                @Override
                public Duration delay(int retry, Duration base, @Nullable Duration previous) {
                    note("strategy");
                    return base;
                }

                @Override
                public String toString() {
                    note("text of a strategy");
                    return "hostile";
                }
            };
        }

        @Override
        public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
            return note("decider");
        }

        @Override
        public @Nullable RetryDirective directive() {
            note("hint");
            return null;
        }

        @Override
        public String getMessage() {
            note("message");
            return "hostile";
        }

        @Override
        public String getLocalizedMessage() {
            note("localized message");
            return "hostile";
        }

        @Override
        public synchronized @Nullable Throwable getCause() {
            note("cause");
            return null;
        }

        @Override
        public String toString() {
            note("toString");
            return "hostile";
        }

        @Override
        @SuppressWarnings("EqualsHashCode") // which two are equal does not matter here
        public int hashCode() {
            note("hashCode");
            return 1;
        }
    }
}

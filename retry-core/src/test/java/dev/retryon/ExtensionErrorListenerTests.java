// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExtensionErrorListener.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Errors of what users plug in: each goes to the listener, or else the first of a kind is logged. */
class ExtensionErrorListenerTests {

    private static final LinkageError FAULT = new LinkageError("broken");

    /** Something that fails, and what is said of it. */
    enum Faulty {
        ONLY_IF(
                Kind.GATE,
                "trial",
                "the gate 'a lambda in dev.retryon.ExtensionErrorListenerTests$Faulty' failed, so the call is not retried",
                policy -> policy.onlyIf((error, call) -> fail()),
                engine -> engine),

        UNLESS(
                Kind.GATE,
                "trial",
                "the gate 'a lambda in dev.retryon.ExtensionErrorListenerTests$Faulty' failed, so the call is not retried",
                policy -> policy.unless((error, call) -> fail()),
                engine -> engine),

        DECIDER(
                Kind.DECIDER,
                "trial",
                "the decider dev.retryon.ExtensionErrorListenerTests$FaultyDecider failed, so the call is not retried",
                policy -> policy,
                engine -> engine.decider(new FaultyDecider())),

        DECIDERS(
                Kind.DECIDER,
                "trial",
                "the deciders cannot be looked up, so the call is not retried",
                policy -> policy,
                engine -> engine.deciders(ExtensionErrorListenerTests::fail)),

        BACKOFF(
                Kind.BACKOFF,
                "trial",
                "backoff a lambda in dev.retryon.ExtensionErrorListenerTests$Faulty failed, so the base delay of 1s is used",
                policy -> policy.backoff((retry, base, previous) -> fail()),
                engine -> engine),

        RESOLVER(
                Kind.RESOLVER,
                "any",
                "the resolver a lambda in dev.retryon.ExtensionErrorListenerTests$Faulty failed and is ignored",
                policy -> policy,
                engine -> engine.hintResolver((error, call) -> fail())),

        RESOLVERS(
                Kind.RESOLVER,
                "any",
                "the retry listeners or resolvers cannot be looked up; the call continues without them",
                policy -> policy,
                engine -> engine.hintResolvers(ExtensionErrorListenerTests::fail)),

        LISTENER(
                Kind.LISTENER,
                "trial",
                "the retry listener a lambda in dev.retryon.ExtensionErrorListenerTests$Faulty failed; the call continues",
                policy -> policy,
                engine -> engine.listener(event -> fail())),

        SLEEPER(
                Kind.WAIT,
                "trial",
                "the wait before a retry failed, so the call is not retried",
                policy -> policy,
                engine -> engine.time(Times.sleeping(delay -> fail()))),

        DEAD_LETTERS(
                Kind.DEAD_LETTER,
                "trial",
                "a failed call could not be stored as a dead letter",
                policy -> policy.maxAttempts(1).onExhaustion(ExhaustionAction.DEAD_LETTER),
                engine -> engine.deadLetters(call -> fail()));

        final Kind kind;

        final String name;

        final String sentence;

        final UnaryOperator<RetryPolicyBuilder> policy;

        final UnaryOperator<RetryEngineBuilder> engine;

        Faulty(
                Kind kind,
                String name,
                String sentence,
                UnaryOperator<RetryPolicyBuilder> policy,
                UnaryOperator<RetryEngineBuilder> engine) {
            this.kind = kind;
            this.name = name;
            this.sentence = sentence;
            this.policy = policy;
            this.engine = engine;
        }
    }

    private static <R> R fail() {
        throw FAULT;
    }

    private static final class FaultyDecider implements RetryDecider {

        @Override
        public boolean shouldRetry(RetryContext call, @Nullable Throwable error) {
            return fail();
        }
    }

    private record Told(Kind kind, String name, String sentence, Throwable cause) {}

    @ParameterizedTest
    @EnumSource
    void theListenerIsToldEachTime(Faulty faulty) {
        List<Told> told = new ArrayList<>();
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(
                    faulty.policy.apply(Trial.policy().maxAttempts(2)),
                    engine -> faulty.engine
                            .apply(engine)
                            .extensionErrorListener((source, name, sentence, cause) ->
                                    told.add(new Told(source, name, sentence, cause))));
            trial.call(new IOException("down"), new IOException("down"));
            int once = told.size();
            trial.call(new IOException("down"), new IOException("down"));

            assertThat(once).isPositive();
            assertThat(told).hasSize(2 * once).allSatisfy(each -> {
                assertThat(each.kind()).isEqualTo(faulty.kind);
                assertThat(each.name()).isEqualTo(faulty.name);
                assertThat(each.sentence()).isEqualTo(faulty.sentence);
                assertThat(each.cause()).isSameAs(FAULT);
            });
            assertThat(warnings.messages()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutAListenerTheFirstIsLogged(Faulty faulty) {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(faulty.policy.apply(Trial.policy().maxAttempts(2)), faulty.engine);
            for (int call = 0; call < 5; call++) {
                trial.call(new IOException("down"), new IOException("down"));
            }

            assertThat(warnings.messages())
                    .containsExactly((faulty.name.equals("any") ? "" : "trial: ") + faulty.sentence
                            + " (logged once for java.lang.LinkageError)");
            assertThat(warnings.causes()).containsExactly(FAULT);
        }
    }

    /** All that it could answer fails. */
    private static final class FaultyHint extends IOException implements RetryHint {

        private static final long serialVersionUID = 1L;

        @Override
        public RetryDirective directive() {
            return fail();
        }

        @Override
        public Duration retryAfter() {
            return fail();
        }

        @Override
        public String errorCode() {
            return fail();
        }
    }

    @Test
    void aHintIsLoggedOnceForAllThatItIsAskedFor() {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(Trial.policy().nonRetryableErrors("auth.*"));

            assertThat(trial.call(new FaultyHint(), new FaultyHint(), "up").value())
                    .isEqualTo("up");
            trial.call(new FaultyHint(), "up");

            assertThat(warnings.messages())
                    .containsExactly(
                            "the hint of dev.retryon.ExtensionErrorListenerTests$FaultyHint failed and is ignored (logged"
                                    + " once for java.lang.LinkageError)");
        }
    }

    /** A stage of the user's that fails when it is cancelled. */
    private static final class Uncancellable extends CompletableFuture<String> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return fail();
        }
    }

    @Test
    void aStageThatFailsToBeCancelledIsLoggedOnce() {
        try (LoggedWarnings warnings = new LoggedWarnings();
                RetryEngine engine = RetryEngine.builder().build()) {
            Retry retry = Retry.builder("trial", Trial.policy().build())
                    .engine(engine)
                    .build();
            for (int call = 0; call < 3; call++) {
                retry.callAsync(Uncancellable::new).cancel(true);
            }

            assertThat(warnings.messages())
                    .containsExactly("trial: the stage of an attempt could not be cancelled (logged once for"
                            + " java.lang.LinkageError)");
        }
    }

    @Test
    void aTimerThatFailsToTakeTasksBackIsLoggedOnce() {
        try (LoggedWarnings warnings = new LoggedWarnings();
                RetryEngine engine = RetryEngine.builder()
                        .time(Times.scheduling((task, delay) -> ExtensionErrorListenerTests::fail))
                        .build()) {
            Retry retry = Retry.builder(
                            "trial",
                            Trial.policy().attemptTimeout(Duration.ofMinutes(1)).build())
                    .engine(engine)
                    .build();
            for (int call = 0; call < 3; call++) {
                retry.run(() -> {});
            }

            assertThat(warnings.messages())
                    .containsExactly("a timer failed to cancel a task (logged once for java.lang.LinkageError)");
        }
    }

    @Test
    void anotherClassOfErrorsIsLoggedToo() {
        List<RuntimeException> faults =
                List.of(new IllegalStateException(), new IllegalArgumentException(), new IllegalStateException());
        int[] calls = new int[1];
        Trial trial = new Trial(Trial.policy().onlyIf((error, call) -> {
            throw faults.get(calls[0]++);
        }));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            faults.forEach(fault -> trial.call(new IOException("down")));

            assertThat(warnings.causes()).containsExactly(faults.get(0), faults.get(1));
        }
    }

    @Test
    void aGateIsQuotedByItsText() {
        class Gate implements BiPredicate<Throwable, RetryContext> {

            @Override
            public boolean test(Throwable error, RetryContext call) {
                throw FAULT;
            }

            @Override
            public String toString() {
                return "#error.code < 500";
            }
        }
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            new Trial(Trial.policy().onlyIf(new Gate())).call(new IOException("down"));

            assertThat(warnings.messages())
                    .containsExactly("trial: the gate '#error.code < 500' failed, so the call is not retried"
                            + " (logged once for java.lang.LinkageError)");
        }
    }

    @Test
    void aFaultListenerThatFailsIsLoggedWithTheFault() {
        IllegalStateException own = new IllegalStateException("nobody home");
        IOException down = new IOException("down");
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(
                    Trial.policy().onlyIf((error, call) -> fail()),
                    engine -> engine.extensionErrorListener((source, name, sentence, cause) -> {
                        throw own;
                    }));

            assertThat(trial.call(down).thrown()).isSameAs(down);
            trial.call(down);

            assertThat(warnings.causes()).containsExactly(own, FAULT);
        }
    }

    @Test
    void anInterruptOutOfTheListenerIsKept() {
        IOException down = new IOException("down");
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(
                    Trial.policy(),
                    engine -> engine.hintResolver((error, call) -> fail())
                            .extensionErrorListener((source, name, sentence, cause) ->
                                    ExtensionErrorListenerTests.<RuntimeException>interrupted()));

            assertThat(trial.call(down).thrown()).isSameAs(down);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(trial.attempts()).isOne();
            assertThat(warnings.causes()).hasSize(2).contains(FAULT);
        }
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void interrupted() throws X {
        throw (X) new InterruptedException("asked to stop");
    }

    @Test
    void notMoreThanAThousandDifferentFaultsAreLogged() {
        int[] calls = new int[1];
        class Gate implements BiPredicate<Throwable, RetryContext> {

            @Override
            public boolean test(Throwable error, RetryContext call) {
                throw FAULT;
            }

            @Override
            public String toString() {
                return "gate " + calls[0]++;
            }
        }
        Trial trial = new Trial(Trial.policy().onlyIf(new Gate()));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            for (int call = 0; call < 1100; call++) {
                trial.call(new IOException("down"));
            }

            assertThat(warnings.messages()).hasSize(1000);
        }
    }
}

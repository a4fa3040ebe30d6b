// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How types, codes and hints are found on an error and on its causes. */
@SuppressWarnings("serial")
class FailureMatchingTests {

    private static final IOException DOWN = new IOException("down");

    private static boolean retries(RetryPolicyBuilder policy, Throwable error) {
        return new Trial(policy).call(error, "up").thrown() == null;
    }

    // Causes

    @Test
    void aCauseListsItsError() {
        assertThat(retries(Trial.policy(), new UncheckedIOException(DOWN))).isTrue();
        assertThat(retries(Trial.policy(), new RuntimeException(new IllegalStateException(DOWN))))
                .isTrue();
        assertThat(retries(Trial.policy(), new RuntimeException(new IllegalStateException())))
                .isFalse();
    }

    @Test
    void anExcludedOrMarkedCauseBeatsAListedError() {
        RetryPolicyBuilder policy = Trial.policy().excludes(TimeoutException.class);

        assertThat(retries(policy, new IOException(new TimeoutException()))).isFalse();
        assertThat(retries(policy, new IOException(new RuntimeException(new DecisionTests.Hopeless()))))
                .isFalse();
        assertThat(retries(policy, new IOException(new RuntimeException()))).isTrue();
    }

    @Test
    void anErrorThatIsOnlyACauseCountsIfItsTypeIsListed() {
        RuntimeException error = new RuntimeException(new AssertionError());

        assertThat(retries(RetryPolicy.builder().retryOn(AssertionError.class), error))
                .isTrue();
        assertThat(retries(RetryPolicy.builder().retryOn(IOException.class), error))
                .isFalse();
        assertThat(retries(RetryPolicy.builder().retryOn(RuntimeException.class), error))
                .isTrue();
    }

    /** An exception whose cause can be set to anything, also to itself. */
    static class Link extends RuntimeException {

        private @Nullable Throwable next;

        Link(@Nullable Throwable next) {
            this.next = next;
        }

        @Override
        public @Nullable Throwable getCause() {
            return next;
        }
    }

    /** A chain with some links before the cycle and others in it. */
    private static Link cyclic(int before, int inCycle) {
        Link last = new Link(null);
        Link first = last;
        for (int i = 1; i < inCycle; i++) {
            first = new Link(first);
        }
        last.next = first;
        for (int i = 0; i < before; i++) {
            first = new Link(first);
        }
        return first;
    }

    @ParameterizedTest(name = "{0} links before a cycle of {1}")
    @CsvSource({"0, 1", "0, 2", "0, 3", "1, 1", "1, 2", "1, 3", "2, 1", "5, 2", "4, 7", "0, 8"})
    @Timeout(60)
    void cyclesInACauseChainDoNotHang(int before, int inCycle) {
        Trial unlisted =
                new Trial(Trial.policy().excludes(TimeoutException.class).nonRetryableErrors("auth.*"));
        Trial listed = new Trial(Trial.policy().retryOn(Link.class).nonRetryableErrors("auth.*"));

        assertThat(unlisted.call(cyclic(before, inCycle), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(listed.call(cyclic(before, inCycle), "up").value()).isEqualTo("up");
    }

    @Test
    @Timeout(60)
    void everyLinkOfACycleIsLookedAt() {
        class Marked extends Link {
            Marked(Throwable next) {
                super(next);
            }
        }
        for (int length = 1; length <= 9; length++) {
            // length links, the last of which leads back to the first or to itself; the last one is the listed one
            for (boolean toItself : new boolean[] {true, false}) {
                Marked last = new Marked(null);
                Link first = last;
                for (int i = 1; i < length; i++) {
                    first = new Link(first);
                }
                ((Link) last).next = toItself ? last : first;

                assertThat(retries(RetryPolicy.builder().retryOn(Marked.class), first))
                        .as("%s links, to itself: %s", length, toItself)
                        .isTrue();
            }
        }
    }

    @Test
    @Timeout(60)
    void wrappersThatWrapEachOtherDoNotHang() {
        class Wrapper extends CompletionException {
            @Nullable Throwable next;

            @Override
            public synchronized @Nullable Throwable getCause() {
                return next;
            }
        }
        Wrapper one = new Wrapper();
        Wrapper other = new Wrapper();
        one.next = other;
        other.next = one;

        assertThat(retries(RetryPolicy.builder().retryOn(CompletionException.class), one))
                .isTrue();
        assertThat(retries(Trial.policy(), one)).isFalse();
    }

    @Test
    void anErrorThatCannotTellItsCauseHasNone() {
        class Odd extends IOException {
            @Override
            public synchronized @Nullable Throwable getCause() {
                throw new IllegalStateException("broken");
            }
        }

        assertThat(retries(Trial.policy(), new Odd())).isTrue();
        assertThat(retries(RetryPolicy.builder().retryOn(IllegalStateException.class), new Odd()))
                .isFalse();
    }

    // Wrappers

    @Test
    void wrappersAreUnwrappedForEverybodyButTheCaller() {
        for (Exception wrapper : new Exception[] {
            new CompletionException(DOWN),
            new ExecutionException(DOWN),
            new UndeclaredThrowableException(DOWN),
            new CompletionException(new ExecutionException(DOWN))
        }) {
            Throwable[] seen = new Throwable[1];
            Trial trial = new Trial(Trial.policy().maxAttempts(2).onlyIf((error, call) -> {
                seen[0] = error;
                return true;
            }));

            trial.call(wrapper);

            assertThat(trial.thrown()).as("the caller gets what was thrown").isSameAs(wrapper);
            assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(seen[0]).isSameAs(DOWN);
            assertThat(trial.events()).extracting(RetryEvent::error).containsOnly(DOWN);
            assertThat(wrapper.getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
        }
    }

    @Test
    void aWrapperAroundNothingIsTakenAsItIs() {
        assertThat(retries(Trial.policy(), new CompletionException("no cause", null)))
                .isFalse();
        assertThat(retries(
                        RetryPolicy.builder().retryOn(CompletionException.class),
                        new CompletionException("no cause", null)))
                .isTrue();
        assertThat(retries(
                        RetryPolicy.builder().retryOn(CompletionException.class),
                        new CompletionException(new IllegalStateException())))
                .as("a wrapper is not what failed")
                .isFalse();
    }

    @Test
    void anErrorInAWrapperIsStillAnError() {
        assertThat(retries(RetryPolicy.builder().retryOn(Exception.class), new ExecutionException(new LinkageError())))
                .isFalse();
        assertThat(retries(
                        RetryPolicy.builder().retryOn(LinkageError.class), new ExecutionException(new LinkageError())))
                .isTrue();
        assertThat(retries(RetryPolicy.builder().retryOn(Error.class), new ExecutionException(new InternalError())))
                .isFalse();
    }

    // Codes

    @ParameterizedTest(name = "{0} names {1}: {2}")
    @CsvSource({
        "auth.*,             auth.token_expired,    true",
        "auth.*,             auth.token.expired,    true",
        "auth.*,             auth,                  false",
        "auth.*,             auth.,                 false",
        "auth.*,             external.auth.failure, false",
        "auth.*,             authx.y,               false",
        "auth.*,             Auth.token_expired,    false",
        "auth.token_expired, auth.token_expired,    true",
        "auth.token_expired, auth.token_expired.x,  false",
        "auth.token_expired, auth.token_EXPIRED,    false",
        "auth.token.*,       auth.token.expired,    true",
        "auth.token.*,       auth.session.expired,  false",
        "*,                  auth,                  true",
        "auth*,              authx,                 true",
        "auth*,              auth,                  false",
        "sql.08*,            sql.08006,             true",
        "sql.08*,            sql.40001,             false",
        // anything but a final * is literal
        "a.th.*,             auth.x,                false",
        "auth.*.x,           auth.y.x,              false",
        "auth.*.x,           auth.*.x,              true",
    })
    void codesMatchPatterns(String pattern, String code, boolean named) {
        RetrySignal signal = new RetrySignal(RetryDirective.RETRY, "no", null, null, code);

        assertThat(retries(Trial.policy().nonRetryableErrors("other", pattern), signal))
                .isEqualTo(!named);
    }

    @Test
    void theCodeOfAnErrorIsItsHintsThenAResolversThenItsClassName() {
        RetryPolicyBuilder policy =
                Trial.policy().retryOn(Exception.class).nonRetryableErrors("hinted", "resolved", "java.io.*");
        Trial trial = new Trial(
                policy,
                engine -> engine.hintResolver((error, call) -> null)
                        .hintResolver((error, call) -> code(error instanceof TimeoutException, "resolved"))
                        .hintResolver((error, call) -> code("never.reached".equals(error.getMessage()), "free")));

        assertThat(trial.call(new RetrySignal(RetryDirective.RETRY, "", null, null, "hinted"), "up")
                        .reason())
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(new TimeoutException("never.reached"), "up").reason())
                .as("the first resolver that knows wins")
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(DOWN, "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(new IOException("never.reached"), "up").value())
                .as("the class name counts only if nobody knows a code")
                .isEqualTo("up");
        assertThat(trial.call(RetrySignal.retry("no code"), "up").value()).isEqualTo("up");
    }

    private static @Nullable RetryHint code(boolean isKnown, String code) {
        return isKnown ? RetryHint.ofErrorCode(code) : null;
    }

    @Test
    void theCodesOfCausesCountToo() {
        RetryPolicyBuilder policy = Trial.policy().nonRetryableErrors("java.util.concurrent.TimeoutException");

        assertThat(retries(policy, new IOException(new RuntimeException(new TimeoutException()))))
                .isFalse();
    }

    @Test
    void aResolverThatThrowsCountsAsSilent() {
        Trial trial = new Trial(
                Trial.policy().nonRetryableErrors("resolved"),
                engine -> engine.hintResolver((error, call) -> {
                            throw new IllegalStateException("no idea");
                        })
                        .hintResolver((error, call) -> code(error instanceof FileNotFoundException, "resolved")));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            assertThat(trial.call(DOWN, "up").value()).isEqualTo("up");
            assertThat(trial.call(new FileNotFoundException(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
            assertThat(warnings.causes()).extracting(Throwable::getMessage).containsOnly("no idea");
        }
    }

    // Hints

    @Test
    void theNearestHintThatSaysSomethingWins() {
        RetrySignal inner = RetrySignal.retryAfter("inner", Duration.ofSeconds(9));
        RetrySignal silent = new RetrySignal(null, "silent", inner, null, null);
        RetrySignal outer = new RetrySignal(null, "outer", inner, Duration.ofSeconds(4), null);
        RetrySignal negative = new RetrySignal(null, "negative", inner, Duration.ofSeconds(-4), null);
        Trial trial = new Trial(RetryPolicy.builder());

        assertThat(trial.call(new RuntimeException(inner), "up").waits()).containsExactly(Duration.ofSeconds(9));
        assertThat(trial.call(silent, "up").waits()).containsExactly(Duration.ofSeconds(9));
        assertThat(trial.call(outer, "up").waits()).containsExactly(Duration.ofSeconds(4));
        assertThat(trial.call(negative, "up").waits()).containsExactly(Duration.ofSeconds(9));
    }

    @Test
    void theNearestDirectiveWins() {
        RetrySignal stopAroundRetry = new RetrySignal(RetryDirective.FAIL, "", RetrySignal.retry("inner"));
        RetrySignal retryAroundStop = new RetrySignal(RetryDirective.RETRY, "", RetrySignal.fail("inner"));

        assertThat(retries(Trial.policy(), stopAroundRetry)).isFalse();
        assertThat(retries(Trial.policy(), retryAroundStop)).isTrue();
        assertThat(new Trial(Trial.policy())
                        .call(new IOException(RetrySignal.discard("inner")), "up")
                        .reason())
                .isEqualTo(StopReason.DISCARD);
    }

    @Test
    void hintsDefaultToSilence() {
        class Silent extends IOException implements RetryHint {}

        assertThat(new Trial(Trial.policy()).call(new Silent(), "up").waits()).containsExactly(Duration.ofSeconds(1));
        assertThat(retries(Trial.policy().nonRetryableErrors("dev.retryon.*"), new Silent()))
                .as("its code is the name of its class")
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"directive", "retryAfter", "errorCode"})
    void aHintThatThrowsCountsAsSilent(String broken) {
        class Broken extends IOException implements RetryHint {
            private <T> @Nullable T answer(String question) {
                if (question.equals(broken)) {
                    throw new IllegalStateException("no idea");
                }
                return null;
            }

            @Override
            public @Nullable RetryDirective directive() {
                return answer("directive");
            }

            @Override
            public @Nullable Duration retryAfter() {
                return answer("retryAfter");
            }

            @Override
            public @Nullable String errorCode() {
                return answer("errorCode");
            }
        }
        Trial trial = new Trial(Trial.policy().nonRetryableErrors("auth.*"));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Broken error = new Broken();

            assertThat(trial.call(error, "up").value()).isEqualTo("up");
            assertThat(trial.waits()).containsExactly(Duration.ofSeconds(1));
            assertThat(error.getSuppressed()).isEmpty();
            assertThat(warnings.causes())
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .isEqualTo("no idea");
        }
    }

    @Test
    void aCauseThatCanNotBeReadHidesNoBusinessError() {
        class Broken extends IOException {
            @Override
            public synchronized Throwable getCause() {
                throw new NoClassDefFoundError("cause");
            }
        }
        Broken broken = new Broken();

        assertThat(new Trial(Trial.policy()).call(broken, "up").value()).isEqualTo("up");
        assertThat(new Trial(RetryPolicy.builder()).call(broken).thrown()).isSameAs(broken);
    }

    @ParameterizedTest
    @CsvSource({"99, true", "100, false"})
    void aHundredErrorsOfAChainAreLookedAt(int above, boolean retried) {
        Throwable error = DOWN;
        for (int i = 0; i < above; i++) {
            error = new IllegalStateException(error);
        }

        assertThat(retries(Trial.policy(), error)).isEqualTo(retried);
    }

    @Test
    void whoeverIsAskedAboutCausesIsNotAskedRoundAndRoundACycle() {
        List<Throwable> asked = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy().retryOn(Link.class).maxAttempts(2),
                engine -> engine.hintResolver((error, call) -> {
                    asked.add(error);
                    return null;
                }));

        trial.call(cyclic(2, 3), "up");

        // 8 = 2 errors before the cycle, and twice the 3 errors in it
        assertThat(asked).hasSizeBetween(5, 8);
    }

    @Test
    void endlessCausesAreNotFollowedForEver() {
        class Endless extends RuntimeException {
            @Override
            public synchronized Throwable getCause() {
                return new Endless();
            }
        }

        assertThat(new Trial(Trial.policy()).call(new Endless()).reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void anErrorThatAsksForARetryIsRetriedOnlyIfAnErrorTypeIsListed() {
        class Hinting extends Error implements RetryHint {
            @Override
            public RetryDirective directive() {
                return RetryDirective.RETRY;
            }
        }

        assertThat(new Trial(Trial.policy()).call(new Hinting(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(Trial.policy().retryOn(AssertionError.class))
                        .call(new Hinting(), "up")
                        .value())
                .isEqualTo("up");
    }

    @ParameterizedTest
    @CsvSource({"auth.x, true", "auth., false", "auth, false"})
    void aPatternWantsAtLeastOneCharacterAfterItsDot(String code, boolean refused) {
        RetrySignal error = new RetrySignal(RetryDirective.RETRY, "down", null, null, code);

        Trial trial = new Trial(Trial.policy().retryOn(RetrySignal.class).nonRetryableErrors("auth.*"));

        assertThat(trial.call(error, "up").attempts()).isEqualTo(refused ? 1 : 2);
    }

    @Test
    void resolversAreAskedOnceForEachFailure() {
        List<Throwable> asked = new ArrayList<>();
        RetryHintResolver resolver = (error, call) -> {
            asked.add(error);
            return null;
        };

        new Trial(
                        Trial.policy().nonRetryableErrors("auth.*").onErrorCode("http.*", rule -> {}),
                        engine -> engine.hintResolver(resolver))
                .call(DOWN, "up");

        assertThat(asked).containsExactly(DOWN);
    }

    @Test
    void aResolverMayDecideForTheError() {
        Trial trial = new Trial(
                Trial.policy(),
                engine -> engine.hintResolver((error, call) ->
                        error instanceof IllegalStateException ? RetrySignal.retry("busy") : RetrySignal.fail("gone")));

        assertThat(trial.call(new IllegalStateException(), "up").value()).isEqualTo("up");
        assertThat(trial.call(DOWN, "up").reason()).isEqualTo(StopReason.FAIL);
        assertThat(trial.call(RetrySignal.discard("over"), "up").reason())
                .as("the error's own directive comes first")
                .isEqualTo(StopReason.DISCARD);
    }

    /** What a class declares is read once a class, so these are of a class loader of their own. */
    @Test
    void whatErrorsDeclareIsReadFromClassesThatAreNew() throws Exception {
        URL[] path = {Marked.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader loader = new URLClassLoader(path, getClass().getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (!name.startsWith(FailureMatchingTests.class.getName() + "$")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }) {
            assertThat(reasonOf(loader, Marked.class)).isEqualTo(StopReason.NOT_RETRYABLE);
            assertThat(reasonOf(loader, Hinting.class)).isEqualTo(StopReason.FAIL);
            assertThat(reasonOf(loader, Plain.class)).isEqualTo(StopReason.EXHAUSTED);
        }
    }

    private static StopReason reasonOf(ClassLoader loader, Class<?> type) throws Exception {
        Class<?> again = loader.loadClass(type.getName());
        assertThat(again).isNotSameAs(type);
        return new Trial(Trial.policy().maxAttempts(2))
                .call(again.getDeclaredConstructor().newInstance())
                .reason();
    }

    @DoNotRetry
    public static final class Marked extends IOException {}

    public static final class Hinting extends IOException implements RetryHint {

        @Override
        public RetryDirective directive() {
            return RetryDirective.FAIL;
        }
    }

    public static final class Plain extends IOException {}
}

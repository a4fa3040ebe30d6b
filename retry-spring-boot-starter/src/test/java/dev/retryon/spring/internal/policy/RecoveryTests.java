// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.DoNotRetry;
import dev.retryon.RetryContext;
import dev.retryon.RetryResult;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Recovery methods of the same bean: when they are called and with what. */
class RecoveryTests {

    private final ApplicationContextRunner runner = Applications.retrying().withBean(Shop.class);

    @Test
    void servesErrorsOfRecoverOnThatAreNotRetried() {
        runner.withBean(Breaker.class)
                .withPropertyValues("retryon.defaults.recover-on=java.lang.ArithmeticException")
                .run(context -> {
                    Breaker breaker = context.getBean(Breaker.class);
                    assertThat(Retries.capture(
                                    () -> breaker.call(new UncheckedIOException(new FileNotFoundException()))))
                            .as("excluded, as a cause")
                            .returns("served", RetryResult::value)
                            .returns(1, RetryResult::attempts)
                            .returns(StopReason.NOT_RETRYABLE, RetryResult::stopReason);
                    assertThat(breaker.call(new ArithmeticException()))
                            .as("listed by a weaker layer")
                            .isEqualTo("served");
                    assertThat(breaker.call(new IOException())).as("retried").isEqualTo("served");
                    assertThatThrownBy(() -> breaker.call(new IllegalStateException()))
                            .isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(() -> breaker.call(RetrySignal.fail("no")))
                            .as("a directive overrules it")
                            .isInstanceOf(RetrySignal.class);
                    assertThat(Retries.with(o -> o.recoverOn(IllegalStateException.class))
                                    .call(() -> breaker.call(new IllegalStateException())))
                            .isEqualTo("served");
                });
    }

    static class Breaker {

        @RetryOn(
                exceptions = IOException.class,
                excludes = FileNotFoundException.class,
                recover = "serve",
                recoverOn = FileNotFoundException.class)
        public String call(Exception error) throws Exception {
            throw error;
        }

        String serve(Throwable error) {
            return "served";
        }
    }

    private interface Check {

        void on(Shop shop) throws Exception;
    }

    private void with(Check check) {
        runner.run(context -> check.on(context.getBean(Shop.class)));
    }

    @Test
    void takesAllArgumentsOrNone() {
        with(shop -> {
            assertThat(shop.withAll("a", 1)).isEqualTo("all a 1 down");
            assertThat(shop.withNone("a", 1)).isEqualTo("none down");
        });
    }

    @Test
    void tellsHowTheCallFailed() {
        with(shop -> assertThat(shop.withFailure("a"))
                .isEqualTo("Shop.withFailure, attempts 3, errors 3, EXHAUSTED, same error true"));
    }

    @Test
    void choosesTheNearestError() {
        with(shop -> {
            assertThat(shop.nearest(new FileNotFoundException())).isEqualTo("file");
            assertThat(shop.nearest(new IOException())).isEqualTo("io");
            assertThat(shop.nearest(new TimeoutException())).isEqualTo("timeout");
            assertThat(shop.nearest(new IllegalStateException())).isEqualTo("any");
        });
    }

    @Test
    void prefersTheOneThatTakesMore() {
        with(shop -> assertThat(shop.richest("a")).isEqualTo("all a and the failure"));
    }

    @Test
    void choosesByTheErrorInsideWrappers() {
        with(shop -> {
            assertThat(shop.wrapped(new ExecutionException(new FileNotFoundException("lost"))))
                    .isEqualTo("file lost");
            assertThat(shop.wrapped(new UncheckedIOException(new IOException("kept"))))
                    .isEqualTo("any kept");
        });
    }

    @Test
    void theErrorItselfGoesOutWhereNoneFits() {
        IllegalStateException error = new IllegalStateException();
        with(shop -> assertThatThrownBy(() -> shop.onlyIo(error)).isSameAs(error));
        ExecutionException wrapped = new ExecutionException(error);
        with(shop -> assertThatThrownBy(() -> shop.onlyIo(wrapped)).isSameAs(wrapped));
    }

    @Test
    void servesOnlyFailuresThatWereOursToRetry() {
        with(shop -> {
            IllegalArgumentException notListed = new IllegalArgumentException();
            assertThatThrownBy(() -> shop.any(notListed)).isSameAs(notListed);
            Hopeless marked = new Hopeless();
            assertThatThrownBy(() -> shop.any(marked)).isSameAs(marked);
            RetrySignal discarded = RetrySignal.discard("no");
            assertThatThrownBy(() -> shop.any(discarded)).isSameAs(discarded);
            RetrySignal failed = RetrySignal.fail("no");
            assertThatThrownBy(() -> shop.any(failed)).isSameAs(failed);
            InterruptedException interrupted = new InterruptedException();
            assertThatThrownBy(() -> shop.any(interrupted)).isSameAs(interrupted);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(shop.any(RetrySignal.deadLetter("later"))).isEqualTo("recovered");
        });
    }

    @Test
    void servesRejectedCalls() {
        with(shop -> {
            RetryResult<String> result =
                    Retries.with(o -> o.onlyIf("false")).capture(() -> shop.any(new IOException()));
            assertThat(result.value()).isEqualTo("recovered");
            assertThat(result.stopReason()).isEqualTo(StopReason.REJECTED);
            assertThat(result.attempts()).isEqualTo(1);
        });
    }

    @Test
    void doesNotServeReturnedValues() {
        with(shop -> assertThat(shop.poll()).isEqualTo("poor"));
    }

    @Test
    void servesVoidMethodsWhateverItReturns() {
        with(shop -> {
            assertThatCode(shop::nothing).doesNotThrowAnyException();
            assertThat(shop.recoveries()).isEqualTo(1);
        });
    }

    @Test
    void servesPrimitivesAndTheirBoxes() {
        with(shop -> {
            assertThat(shop.number(20)).isEqualTo(21);
            assertThat(shop.boxed(30)).isEqualTo(31);
        });
    }

    @Test
    void mayBePrivateOrInherited() {
        with(shop -> {
            assertThat(shop.privately()).isEqualTo("private");
            assertThat(shop.byInheritance()).isEqualTo("inherited");
            assertThat(shop.byTheClass()).isEqualTo("static");
        });
    }

    @Test
    void whatARecoveryThrowsGoesOutAndKeepsTheError() {
        with(shop -> assertThatThrownBy(shop::failsAgain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("recovery failed")
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(IOException.class)));
    }

    @Test
    void aRecoveryThatRethrowsTheErrorAddsNothing() {
        with(shop -> assertThatThrownBy(shop::rethrows)
                .isInstanceOf(IOException.class)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1))); // the history
    }

    @Test
    void isNotItselfRetried() {
        with(shop -> {
            assertThatThrownBy(shop::recoversRetried).isInstanceOf(IOException.class);
            assertThat(shop.recoveries()).isEqualTo(1);
        });
    }

    @Test
    void takesTheArgumentsThatWereGiven() {
        with(shop -> {
            StringBuilder order = new StringBuilder("order");
            assertThat(shop.sameArgument(order)).isSameAs(order);
        });
    }

    static class ShopBase {

        protected String inherited(IOException error) {
            return "inherited";
        }
    }

    @DoNotRetry
    static class Hopeless extends IOException {

        private static final long serialVersionUID = 1L;
    }

    static class Shop extends ShopBase {

        private int recoveries;

        int recoveries() {
            return recoveries;
        }

        @RetryOn(value = IOException.class, recover = "all")
        public String withAll(String order, int count) throws IOException {
            throw new IOException("down");
        }

        String all(String order, int count, IOException error) {
            return "all " + order + " " + count + " " + error.getMessage();
        }

        @RetryOn(value = IOException.class, recover = "none")
        public String withNone(String order, int count) throws IOException {
            throw new IOException("down");
        }

        String none(Exception error) {
            return "none " + error.getMessage();
        }

        @RetryOn(value = IOException.class, recover = "failed")
        public String withFailure(String order) throws IOException {
            throw new IOException("down");
        }

        String failed(IOException error, RetryContext context) {
            return context.name() + ", attempts " + context.attempt() + ", errors "
                    + context.errors().size() + ", " + context.stopReason() + ", same error "
                    + (context.lastError() == error);
        }

        @RetryOn(value = Exception.class, recover = "near")
        public String nearest(Exception error) throws Exception {
            throw error;
        }

        String near(Exception error) {
            return "any";
        }

        String near(FileNotFoundException error) {
            return "file";
        }

        String near(IOException error) {
            return "io";
        }

        String near(TimeoutException error) {
            return "timeout";
        }

        @RetryOn(value = IOException.class, recover = "rich")
        public String richest(String order) throws IOException {
            throw new IOException();
        }

        String rich(IOException error) {
            return "none";
        }

        String rich(String order, IOException error, RetryContext context) {
            return "all " + order + " and the failure";
        }

        String rich(String order, IOException error) {
            return "all";
        }

        String rich(IOException error, RetryContext context) {
            return "the failure";
        }

        @RetryOn(value = IOException.class, recover = "unwrapped")
        public String wrapped(Exception error) throws Exception {
            throw error;
        }

        String unwrapped(Exception given, FileNotFoundException error) {
            return "file " + error.getMessage();
        }

        String unwrapped(Exception given, Exception error) {
            return "any " + error.getCause().getMessage();
        }

        @RetryOn(value = Exception.class, recover = "io")
        public String onlyIo(Exception error) throws Exception {
            throw error;
        }

        String io(IOException error) {
            return "io";
        }

        @RetryOn(value = IOException.class, recover = "recoverAny")
        public String any(Exception error) throws Exception {
            throw error;
        }

        String recoverAny(Exception error) {
            return "recovered";
        }

        @RetryOn(value = IOException.class, retryIf = "#result == 'poor'", recover = "recoverAny")
        public String poll() {
            return "poor";
        }

        @RetryOn(value = IOException.class, recover = "counting")
        public void nothing() throws IOException {
            throw new IOException();
        }

        int counting(IOException error) {
            return ++recoveries;
        }

        @RetryOn(value = IOException.class, recover = "boxedNext")
        public int number(int before) throws IOException {
            throw new IOException();
        }

        Integer boxedNext(Integer before, IOException error) {
            return before + 1;
        }

        @RetryOn(value = IOException.class, recover = "next")
        public Integer boxed(Integer before) throws IOException {
            throw new IOException();
        }

        int next(int before, IOException error) {
            return before + 1;
        }

        @RetryOn(value = IOException.class, recover = "hidden")
        public String privately() throws IOException {
            throw new IOException();
        }

        @SuppressWarnings("UnusedMethod")
        private String hidden(IOException error) {
            return "private";
        }

        @RetryOn(value = IOException.class, recover = "inherited")
        public String byInheritance() throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, recover = "ofTheClass")
        public String byTheClass() throws IOException {
            throw new IOException();
        }

        static String ofTheClass(IOException error) {
            return "static";
        }

        @RetryOn(value = IOException.class, recover = "failing")
        public void failsAgain() throws IOException {
            throw new IOException();
        }

        void failing(IOException error) {
            throw new IllegalStateException("recovery failed");
        }

        @RetryOn(value = IOException.class, recover = "rethrowing")
        public void rethrows() throws IOException {
            throw new IOException();
        }

        void rethrowing(IOException error) throws IOException {
            throw error;
        }

        @RetryOn(value = IOException.class, recover = "retried")
        public void recoversRetried() throws IOException {
            throw new IOException();
        }

        @RetryOn(IOException.class)
        public void retried(IOException error) throws IOException {
            recoveries++;
            throw error;
        }

        @RetryOn(value = IOException.class, recover = "echo")
        public StringBuilder sameArgument(StringBuilder order) throws IOException {
            throw new IOException();
        }

        StringBuilder echo(StringBuilder order, IOException error) {
            return order;
        }
    }
}

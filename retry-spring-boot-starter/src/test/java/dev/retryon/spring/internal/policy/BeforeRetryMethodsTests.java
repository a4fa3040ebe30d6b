// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.RetryContext;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods of a bean that run before each retry: which is called, when, and with what. */
class BeforeRetryMethodsTests {

    private final ApplicationContextRunner runner =
            Applications.retrying().withBean(Shop.class).withBean("tokens", Tokens.class);

    private interface Check {

        void on(Shop shop) throws Exception;
    }

    private void with(Check check) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            check.on(context.getBean(Shop.class));
        });
    }

    @Test
    void runsBetweenTheAttemptsOnTheThreadOfTheCaller() {
        with(shop -> {
            assertThat(shop.plain("a")).isEqualTo("a at 3");
            assertThat(shop.seen()).containsExactly("attempt 1", "refresh 2", "attempt 2", "refresh 3", "attempt 3");
            assertThat(shop.threads()).containsOnly(Thread.currentThread());
        });
    }

    @Test
    void takesAllArgumentsTheErrorAndTheContext() {
        with(shop -> {
            assertThat(shop.withAll("a", 7)).isEqualTo("a at 3");
            assertThat(shop.seen())
                    .containsExactly("a 7 after down 1 before 2 of 3 again", "a 7 after down 2 before 3 of 3 again");
        });
    }

    @Test
    void choosesTheNearestError() {
        with(shop -> {
            assertThatThrownBy(() -> shop.nearest(new FileNotFoundException())).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> shop.nearest(new CompletionException(new IOException())))
                    .isInstanceOf(CompletionException.class);
            assertThatThrownBy(() -> shop.nearest(new IllegalStateException()))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(shop.seen()).containsExactly("file", "file", "io", "io", "any", "any");
        });
    }

    @Test
    void noneRunsIfNoErrorFits() {
        with(shop -> {
            assertThatThrownBy(() -> shop.onlyFile(new IOException())).isInstanceOf(IOException.class);
            assertThat(shop.seen()).isEmpty();
            assertThatThrownBy(() -> shop.onlyFile(new FileNotFoundException()))
                    .isInstanceOf(FileNotFoundException.class);
            assertThat(shop.seen()).containsExactly("file", "file");
        });
    }

    @Test
    void aReturnedValueHasNoError() {
        with(shop -> {
            assertThat(shop.poll()).isEqualTo("pending");
            assertThat(shop.seen()).containsExactly("any", "any");
        });
    }

    @Test
    void mayBePrivateInheritedOrStatic() {
        with(shop -> {
            assertThat(shop.byPrivate("a")).isEqualTo("a at 3");
            assertThat(shop.byInherited("a")).isEqualTo("a at 3");
            assertThat(shop.byStatic("a")).isEqualTo("a at 3");
            assertThat(shop.seen()).containsExactly("private", "private", "inherited", "inherited");
        });
    }

    @Test
    void itsErrorEndsTheCall() {
        with(shop -> {
            assertThatThrownBy(() -> shop.failing(new IOException("no token")))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no token")
                    .satisfies(thrown -> assertThat(thrown.getSuppressed()[0]).hasMessage("down 1"));
            assertThatThrownBy(() -> shop.failing(new AssertionError("no token")))
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("no token");
            assertThatThrownBy(() -> shop.failing(new InterruptedException("no token")))
                    .isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(shop.seen()).containsExactly("attempt 1", "attempt 1", "attempt 1");

            RetryResult<String> result = Retries.capture(() -> shop.failing(new IllegalStateException("no token")));
            assertThat(result.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
        });
    }

    @Test
    void aRecoveryHandlesItsErrorOnlyIfItIsListed() {
        with(shop -> {
            assertThatThrownBy(() -> Retries.with(o -> o.recover("none"))
                            .call(() -> shop.failing(new IllegalStateException("no token"))))
                    .hasMessage("no token");
            assertThat(Retries.with(o -> o.recover("none").recoverOn(IllegalStateException.class))
                            .<String, Exception>call(() -> shop.failing(new IllegalStateException("no token"))))
                    .isEqualTo("none after no token");
        });
    }

    @Test
    void callsOverrideIt() {
        with(shop -> {
            assertThat(Retries.with(o -> o.beforeRetry("prepare")).call(() -> shop.plain("a")))
                    .isEqualTo("a at 3");
            assertThat(shop.seen()).containsExactly("attempt 1", "prepared", "attempt 2", "prepared", "attempt 3");
        });
    }

    @Test
    void propertiesSetItAndTheViewShowsTheSource() {
        runner.withPropertyValues("retryon.methods.[" + Shop.class.getName() + "#unprepared].before-retry=prepare")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    assertThat(shop.unprepared("a")).isEqualTo("a at 3");
                    assertThat(shop.seen()).containsExactly("prepared", "prepared");
                    assertThat(Applications.settings(context, Shop.class, "unprepared")
                                    .value(Setting.BEFORE_RETRY))
                            .returns("prepare", EffectiveSettings.Value::print)
                            .returns(
                                    "retryon.methods[" + Shop.class.getName() + "#unprepared]",
                                    EffectiveSettings.Value::source);
                });
    }

    @Test
    void aMethodThatOnlyTheAnnotatedClassCoversIsNotRetriedItself() {
        Applications.retrying().withBean(Annotated.class).run(context -> {
            Annotated bean = context.getBean(Annotated.class);
            assertThat(Applications.methods(context, Annotated.class))
                    .extracting(method -> method.method().getName())
                    .containsExactly("charge");
            assertThatThrownBy(bean::charge).hasMessage("down");
            assertThat(bean.refreshes()).isEqualTo(2);
        });
    }

    @Test
    void aMethodOfAnotherBeanHasItsOwnRetries() {
        with(shop -> {
            assertThat(shop.byOther("a")).isEqualTo("a at 3");
            assertThat(shop.seen()).isEmpty();
        });
        runner.run(context -> {
            context.getBean(Shop.class).byOther("a");
            assertThat(context.getBean(Tokens.class).attempts())
                    .isEqualTo(3); // 2 for the first token, 1 for the second
        });
    }

    @Test
    void mayCallTheRetriedMethod() {
        with(shop -> {
            assertThat(shop.nested("a")).isEqualTo("a at 3");
            assertThat(shop.seen())
                    .as("directly, which is no retried call, and through the proxy")
                    .containsExactly("direct", "call 1", "call 2", "call 3", "direct");
        });
    }

    @Test
    void futuresAndPublishers() throws Exception {
        with(shop -> {
            assertThat(shop.future("a").get()).isEqualTo("a at 3");
            assertThat(shop.plainFuture("a").get()).isEqualTo("a at 3");
            assertThat(shop.mono("a").block()).isEqualTo("a at 3");
            assertThat(shop.flux("a").collectList().block()).containsExactly("a at 3");
            assertThat(shop.seen())
                    .containsExactlyElementsOf(Collections.nCopies(4, List.of("refresh 2", "refresh 3")).stream()
                            .flatMap(List::stream)
                            .toList());
            assertThat(shop.threads()).as("of later attempts").doesNotContain(Thread.currentThread());
        });
    }

    @Test
    void itsErrorEndsAsynchronousCalls() {
        with(shop -> {
            assertThatThrownBy(() ->
                            shop.failingFuture(new IOException("no token")).get())
                    .cause()
                    .hasMessage("no token")
                    .satisfies(thrown -> assertThat(thrown.getSuppressed()[0]).hasMessage("down 1"));
            assertThatThrownBy(() -> shop.failingMono(new IllegalStateException("no token"))
                            .block())
                    .hasMessage("no token");
        });
    }

    static Stream<Arguments> isCheckedAtStartUp() {
        return Stream.of(
                arguments(
                        "nobody",
                        "method 'nobody' does not exist in the bean; add it, for example void nobody() (for "),
                arguments("nobody#refresh", "no bean is named 'nobody'"),
                arguments("tokens#nobody", "method 'nobody' does not exist in " + Tokens.class.getName()),
                arguments("tokens.refresh", "a method of another bean must be written as 'tokens#refresh'"),
                arguments("charge", "method 'charge' does not exist in the bean, except for the retried method itself"),
                arguments("otherArgument", "takes Integer where the argument is String"),
                arguments("tooMany", "takes 2 of the 1 arguments"),
                arguments("contextFirst", "takes 2 of the 1 arguments"),
                arguments("later", "later() returns CompletableFuture, which completes later"),
                arguments("unread", "unread() returns Mono, which completes later"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void isCheckedAtStartUp(String beforeRetry, String problem) {
        runner.withBean(Misfits.class)
                .withPropertyValues("retryon.methods.[" + Misfits.class.getName() + "].before-retry=" + beforeRetry)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .startsWith("retryon.methods[" + Misfits.class.getName() + "].before-retry: beforeRetry is '"
                                + beforeRetry + "', but ")
                        .contains(problem));
    }

    @Test
    void policiesWithoutABeanCannotHaveIt() {
        runner.withPropertyValues(
                        "retryon.policies.own.before-retry=refresh",
                        "retryon.policies.other.max-attempts=2",
                        "retryon.defaults.exceptions=java.io.IOException")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(RetryRegistry.class).retry("own"))
                        .hasMessage("retryon.policies.own.before-retry: beforeRetry is 'refresh', but only a retried"
                                + " method of a bean can run a method before a retry"));
        Applications.retrying()
                .withPropertyValues("retryon.policies.other.max-attempts=2", "retryon.defaults.before-retry=refresh")
                .run(context -> assertThat(context.getBean(RetryRegistry.class)
                                .retry("other")
                                .policy()
                                .maxAttempts())
                        .as("the defaults are for methods")
                        .isEqualTo(2));
    }

    @Test
    void theFormIsCheckedInPoliciesThatNoMethodUses() {
        runner.withPropertyValues("retryon.policies.own.before-retry=@refresh")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .hasToString("retryon.policies.own.before-retry: beforeRetry is '@refresh', but a method of the"
                                + " same bean must be written as 'refresh', and a method of another bean as"
                                + " 'bean#method'"));
    }

    static class ShopBase {

        final List<String> seen = new ArrayList<>();

        List<String> seen() {
            return seen;
        }

        void inherited() {
            seen.add("inherited");
        }
    }

    static class Shop extends ShopBase {

        private final List<Thread> threads = new ArrayList<>();

        private final ObjectProvider<Shop> self;

        private Throwable error;

        Shop(ObjectProvider<Shop> self) {
            this.self = self;
        }

        List<Thread> threads() {
            return threads;
        }

        private static String attempt(String order) throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new IOException("down " + attempt);
            }
            return order + " at " + attempt;
        }

        @RetryOn(value = IOException.class, beforeRetry = "refresh")
        public String plain(String order) throws IOException {
            seen.add("attempt " + RetryContext.current().attempt());
            return attempt(order);
        }

        void refresh(RetryContext context) {
            seen.add("refresh " + context.attempt());
            threads.add(Thread.currentThread());
        }

        void prepare() {
            seen.add("prepared");
        }

        @RetryOn(value = IOException.class, beforeRetry = "all")
        public String withAll(String order, int count) throws IOException {
            return attempt(order);
        }

        String all(String order, int count, IOException failure, RetryContext context) {
            seen.add(order + " " + count + " after " + failure.getMessage() + " before " + context.attempt() + " of "
                    + context.maxAttempts() + (context == RetryContext.current() ? " again" : ""));
            return "a value that no caller sees";
        }

        @RetryOn(value = Exception.class, beforeRetry = "near")
        public String nearest(Exception failure) throws Exception {
            throw failure;
        }

        void near() {
            seen.add("any");
        }

        void near(IOException failure) {
            seen.add("io");
        }

        void near(FileNotFoundException failure) {
            seen.add("file");
        }

        @RetryOn(value = IOException.class, beforeRetry = "file")
        public String onlyFile(IOException failure) throws IOException {
            throw failure;
        }

        void file(FileNotFoundException failure) {
            seen.add("file");
        }

        @RetryOn(retryIf = "#result == 'pending'", beforeRetry = "near")
        public String poll() {
            return "pending";
        }

        @RetryOn(value = IOException.class, beforeRetry = "hidden")
        public String byPrivate(String order) throws IOException {
            return attempt(order);
        }

        @SuppressWarnings("UnusedMethod")
        private void hidden() {
            seen.add("private");
        }

        @RetryOn(value = IOException.class, beforeRetry = "inherited")
        public String byInherited(String order) throws IOException {
            return attempt(order);
        }

        @RetryOn(value = IOException.class, beforeRetry = "ofTheClass")
        public String byStatic(String order) throws IOException {
            return attempt(order);
        }

        static void ofTheClass(String order) {}

        @RetryOn(value = IOException.class, beforeRetry = "fail")
        public String failing(Throwable next) throws IOException, InterruptedException {
            error = next;
            seen.add("attempt " + RetryContext.current().attempt());
            return attempt("order");
        }

        void fail() throws Throwable {
            throw error;
        }

        String none(Throwable failure) {
            return "none after " + failure.getMessage();
        }

        @RetryOn(IOException.class)
        public String unprepared(String order) throws IOException {
            return attempt(order);
        }

        @RetryOn(value = IOException.class, beforeRetry = "tokens#refresh")
        public String byOther(String order) throws IOException {
            return attempt(order);
        }

        @RetryOn(value = IOException.class, beforeRetry = "again")
        public String nested(String order) throws IOException {
            if (order.equals("direct")) {
                seen.add("direct");
                return "";
            }
            if (order.equals("nested")) {
                seen.add("call " + RetryContext.current().attempt());
            }
            return attempt(order);
        }

        void again(String order, RetryContext context) throws IOException {
            if (order.equals("a")) {
                nested("direct");
                if (context.attempt() == 2) {
                    self.getObject().nested("nested");
                }
            }
        }

        @RetryOn(value = IOException.class, beforeRetry = "refresh")
        public CompletableFuture<String> future(String order) throws IOException {
            return CompletableFuture.completedFuture(attempt(order));
        }

        @RetryOn(value = IOException.class, beforeRetry = "refresh")
        public Future<String> plainFuture(String order) throws IOException {
            return CompletableFuture.completedFuture(attempt(order));
        }

        @RetryOn(value = IOException.class, beforeRetry = "refresh")
        public Mono<String> mono(String order) throws IOException {
            return Mono.just(attempt(order));
        }

        @RetryOn(value = IOException.class, beforeRetry = "refresh")
        public Flux<String> flux(String order) {
            return Flux.deferContextual(view -> {
                int attempt = view.get(RetryContext.class).attempt();
                return attempt < 3 ? Flux.error(new IOException("down")) : Flux.just(order + " at " + attempt);
            });
        }

        @RetryOn(value = IOException.class, beforeRetry = "fail")
        public CompletableFuture<String> failingFuture(Throwable next) throws IOException {
            error = next;
            return CompletableFuture.completedFuture(attempt("order"));
        }

        @RetryOn(value = IOException.class, beforeRetry = "fail")
        public Mono<String> failingMono(Throwable next) throws IOException {
            error = next;
            return Mono.just(attempt("order"));
        }
    }

    static class Tokens {

        private int attempts;

        @RetryOn(IllegalStateException.class)
        public void refresh() {
            attempts++;
            if (attempts == 1) {
                throw new IllegalStateException("no token");
            }
        }

        public int attempts() {
            return attempts;
        }
    }

    @RetryOn(value = IOException.class, beforeRetry = "refresh")
    static class Annotated {

        private int refreshes;

        public void charge() throws IOException {
            throw new IOException("down");
        }

        public void refresh() {
            refreshes++;
        }

        int refreshes() {
            return refreshes;
        }
    }

    static class Misfits {

        @RetryOn(IOException.class)
        public String charge(String order) throws IOException {
            throw new IOException();
        }

        void refresh() {}

        void otherArgument(Integer order) {}

        void tooMany(String order, String another) {}

        void contextFirst(RetryContext context, String order) {}

        CompletableFuture<Void> later() {
            return CompletableFuture.completedFuture(null);
        }

        Mono<Void> unread() {
            return Mono.empty();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Return types that a retried method can't have are found at start-up. */
class ReturnTypesTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    static Stream<Arguments> faults() {
        String web = ", whose value is computed after the method has returned, too late for a retry; return"
                + " a CompletableFuture, or annotate the method that computes the value";
        return Stream.of(
                Arguments.of(new WebCallable(), "returns Callable" + web),
                Arguments.of(new WebDeferred(), "returns DeferredResult" + web),
                Arguments.of(new WebTask(), "returns WebAsyncTask" + web),
                Arguments.of(
                        new OwnFuture(),
                        "returns dev.retryon.spring.internal.style.ReturnTypesTests$MyFuture, which RetryOn cannot"
                                + " create; return CompletableFuture, CompletionStage or Future, or define a ReturnStyle bean"
                                + " for this type"),
                Arguments.of(new Task(), "returns java.util.concurrent.FutureTask, which RetryOn cannot create"),
                Arguments.of(
                        new Connectable(),
                        "returns reactor.core.publisher.ConnectableFlux, which RetryOn cannot create; return Flux, or define a"
                                + " ReturnStyle bean for this type"),
                Arguments.of(
                        new PolledFlux(),
                        "retryIf is '#result == null', but the method returns a stream, which has no final value to"
                                + " check; return a Mono of a list, or fail the stream with an error that is retried"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    @SuppressWarnings("unchecked")
    void isAStartUpFault(Object bean, String problem) {
        runner.withBean("bean", (Class<Object>) bean.getClass(), () -> bean)
                .run(context -> assertThat(context).getFailure().hasMessageContaining(problem));
    }

    @Test
    void retryIfOfAMonoIsFine() {
        runner.withBean(PolledMono.class)
                .withPropertyValues("retryon.defaults.backoff=none")
                .run(context -> assertThat(
                                context.getBean(PolledMono.class).poll().block())
                        .containsExactly("ok"));
    }

    @Test
    void aReturnStyleOfTheApplicationMakesAnyTypeFine() {
        runner.withBean(OwnFuture.class)
                .withBean(ReturnStyle.class, MyFutureStyle::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class MyFuture extends CompletableFuture<String> {}

    static class MyFutureStyle implements ReturnStyle {

        @Override
        public boolean isStyleOf(Method method) {
            return method.getReturnType() == MyFuture.class;
        }

        @Override
        public Object call(
                Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, Object> attempts) {
            return new MyFuture();
        }
    }

    static class WebCallable {

        @RetryOn(IOException.class)
        public Callable<String> find() {
            return () -> "found";
        }
    }

    static class WebDeferred {

        @RetryOn(IOException.class)
        public DeferredResult<String> find() {
            return new DeferredResult<>();
        }
    }

    static class WebTask {

        @RetryOn(IOException.class)
        public WebAsyncTask<String> find() {
            return new WebAsyncTask<>(() -> "found");
        }
    }

    static class OwnFuture {

        @RetryOn(IOException.class)
        public MyFuture find() {
            return new MyFuture();
        }
    }

    static class Task {

        @RetryOn(IOException.class)
        public FutureTask<String> find() {
            return new FutureTask<>(() -> "found");
        }
    }

    static class Connectable {

        @RetryOn(IOException.class)
        public ConnectableFlux<String> find() {
            return Flux.just("found").publish();
        }
    }

    static class PolledFlux {

        @RetryOn(retryIf = "#result == null")
        public Flux<String> poll() {
            return Flux.just("ok");
        }
    }

    static class PolledMono {

        private int polls;

        @RetryOn(retryIf = "#result.isEmpty()")
        public Mono<List<String>> poll() {
            return polls++ == 0 ? Mono.just(List.of()) : Mono.just(List.of("ok"));
        }
    }
}

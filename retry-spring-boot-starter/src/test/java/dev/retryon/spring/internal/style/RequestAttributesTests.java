// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import io.micrometer.context.ContextRegistry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestAttributesThreadLocalAccessor;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** The request of the caller in later attempts, as docs/async.md shows. */
class RequestAttributesTests {

    private final ServletRequestAttributes request = new ServletRequestAttributes(new MockHttpServletRequest());

    @BeforeEach
    void begin() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(new RequestAttributesThreadLocalAccessor());
        request.setAttribute("tenant", "blue", RequestAttributes.SCOPE_REQUEST);
    }

    @AfterEach
    void end() {
        RequestContextHolder.resetRequestAttributes();
        ContextRegistry.getInstance().removeThreadLocalAccessor(RequestAttributesThreadLocalAccessor.KEY);
    }

    @Test
    void laterAttemptsOfAFutureSeeTheRequest() {
        Applications.retrying().withBean(Tenants.class).run(context -> {
            Tenants tenants = context.getBean(Tenants.class);
            RequestContextHolder.setRequestAttributes(request);
            tenants.later().join();

            assertThat(tenants.seen()).containsExactly("blue", "blue", "blue");
        });
    }

    @Test
    void attemptsOfAMonoSeeTheRequestOfTheSubscriber() {
        Applications.retrying()
                .withBean(Tenants.class)
                .withBean(Subscriber.class)
                .run(context -> {
                    Tenants tenants = context.getBean(Tenants.class);
                    tenants.mono()
                            .contextWrite(view -> view.put(RequestAttributesThreadLocalAccessor.KEY, request))
                            .block();

                    assertThat(tenants.seen()).containsExactly("blue", "blue", "blue");
                    assertThat(context.getBean(Subscriber.class).seen).containsExactly(request, request);
                });
    }

    @Test
    void attemptsOfAFluxSeeTheRequestOfTheSubscriber() {
        Applications.retrying().withBean(Tenants.class).run(context -> {
            Tenants tenants = context.getBean(Tenants.class);
            Flux<String> attempts =
                    tenants.flux().contextWrite(view -> view.put(RequestAttributesThreadLocalAccessor.KEY, request));

            assertThat(attempts.collectList().block()).containsExactly("done at attempt 3");
            assertThat(tenants.seen()).containsExactly("blue", "blue", "blue");
            assertThat(RetryContext.find()).isEmpty();
            assertThat(RequestContextHolder.getRequestAttributes()).isNull();
        });
    }

    static class Tenants {

        final List<@Nullable Object> seen = new CopyOnWriteArrayList<>();

        List<@Nullable Object> seen() {
            return seen;
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> later() throws IOException {
            return CompletableFuture.completedFuture(see());
        }

        @RetryOn(IOException.class)
        public Mono<String> mono() throws IOException {
            return Mono.just(see());
        }

        @RetryOn(IOException.class)
        public Flux<String> flux() {
            return Flux.defer(() -> {
                try {
                    return Flux.just(
                            see() + " at attempt " + RetryContext.current().attempt());
                } catch (IOException ex) {
                    return Flux.error(ex);
                }
            });
        }

        private String see() throws IOException {
            RequestAttributes request = RequestContextHolder.currentRequestAttributes();
            seen.add(request.getAttribute("tenant", RequestAttributes.SCOPE_REQUEST));
            if (seen.size() < 3) {
                throw new IOException();
            }
            return "done";
        }
    }

    /** Asks the Reactor context of the subscriber for the request. */
    static class Subscriber implements RetryDecider {

        final List<Object> seen = new CopyOnWriteArrayList<>();

        @Override
        public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
            ContextView subscriber = (ContextView) context.attributes().get(ContextView.class.getName());
            seen.add(subscriber.get(RequestAttributesThreadLocalAccessor.KEY));
            return true;
        }
    }
}

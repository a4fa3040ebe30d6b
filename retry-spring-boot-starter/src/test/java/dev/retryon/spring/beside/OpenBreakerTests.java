// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.beside;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.OnError;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import java.io.IOException;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An open breaker of Resilience4j within methods that list broad types. */
class OpenBreakerTests {

    private final CircuitBreaker breaker = CircuitBreaker.ofDefaults("catalogue");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean(Prices.class, () -> new Prices(breaker));

    @BeforeEach
    void open() {
        breaker.transitionToOpenState();
    }

    public static class Prices {

        private final Supplier<String> guarded;

        public Prices(CircuitBreaker breaker) {
            this.guarded = breaker.decorateSupplier(() -> "never called");
        }

        @RetryOn(Exception.class)
        public String broad() {
            return guarded.get();
        }

        @RetryOn(Exception.class)
        public String wrapped() throws IOException {
            try {
                return guarded.get();
            } catch (CallNotPermittedException ex) {
                throw new IOException("no price", ex);
            }
        }

        @RetryOn({Exception.class, CallNotPermittedException.class})
        public String listed() {
            return guarded.get();
        }

        @RetryOn(errors = @OnError(CallNotPermittedException.class))
        public String ruled() {
            return guarded.get();
        }

        @RetryOn(errors = @OnError(codes = "io.github.resilience4j.circuitbreaker.CallNotPermittedException"))
        public String ruledByCode() {
            return guarded.get();
        }

        @RetryOn(value = Exception.class, recover = "lastKnown", recoverOn = CallNotPermittedException.class)
        public String recovered() {
            return guarded.get();
        }

        String lastKnown() {
            return "last known";
        }
    }

    private void check(Call call, int attempts, StopReason reason) {
        runner.run(context -> {
            RetryResult<String> result = Retries.capture(() -> call.of(context.getBean(Prices.class)));
            assertThat(result.attempts()).isEqualTo(attempts);
            assertThat(result.stopReason()).isEqualTo(reason);
        });
    }

    private interface Call {

        String of(Prices prices) throws Exception;
    }

    @Test
    void aRuleForItsTypeOrItsCodeListsIt() {
        check(Prices::ruled, 3, StopReason.EXHAUSTED);
        check(Prices::ruledByCode, 3, StopReason.EXHAUSTED);
    }

    @Test
    void endsTheCallAtOnceThoughABroadTypeIsListed() {
        check(Prices::broad, 1, StopReason.NOT_RETRYABLE);
    }

    @Test
    void endsTheCallAsACauseToo() {
        check(Prices::wrapped, 1, StopReason.NOT_RETRYABLE);
    }

    @Test
    void isRetriedIfItsExceptionIsListedItself() {
        check(Prices::listed, 3, StopReason.EXHAUSTED);
    }

    @Test
    void isServedByARecoveryThatListsItsException() {
        runner.run(
                context -> assertThat(context.getBean(Prices.class).recovered()).isEqualTo("last known"));
    }
}

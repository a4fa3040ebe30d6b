// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mockStatic;

import dev.retryon.RetryContext;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.MockedStatic;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What attempts find in the log context. */
class LogContextTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(Work.class);

    @AfterEach
    void forget() {
        MDC.clear();
    }

    @Test
    void laterAttemptsAreThereWithTheirNumberAndTheLargestOne() {
        runner.run(context -> {
            Work work = context.getBean(Work.class);
            work.run(2);
            assertThat(work.logged()).containsExactly("null null null", "Work.run 2 3", "Work.run 3 3");
            assertThatThrownBy(() -> work.run(9)).isInstanceOf(IOException.class);
            assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
        });
    }

    @Test
    void whatWasThereBeforeIsPutBack() {
        runner.run(context -> {
            MDC.put("retry.name", "caller");
            MDC.put("retry.max-attempts", "7");
            context.getBean(Work.class).run(2);
            assertThat(MDC.get("retry.name")).isEqualTo("caller");
            assertThat(MDC.get("retry.attempt")).isNull();
            assertThat(MDC.get("retry.max-attempts")).isEqualTo("7");
        });
    }

    @Test
    void theLargestNumberIsThatOfTheCall() {
        runner.run(context -> {
            Work work = context.getBean(Work.class);
            Retries.with(own -> own.maxAttempts(2000)).call(() -> work.run(1));
            assertThat(work.logged()).containsExactly("null null null", "Work.run 2 2000");
        });
    }

    @Test
    void attemptsOfAsynchronousCallsAreThereToo() {
        runner.run(context -> {
            Work work = context.getBean(Work.class);
            assertThat(work.later(1)).succeedsWithin(Duration.ofSeconds(30));
            assertThat(work.logged()).containsExactly("null null null", "Work.later 2 3");
        });
    }

    @Test
    void attemptsOfTheRegistryAreThereToo() {
        runner.run(context -> {
            Work work = context.getBean(Work.class);
            RetryRegistry retries = context.getBean(RetryRegistry.class);
            RetryPolicy policy =
                    RetryPolicy.builder().retryOn(IOException.class).build();
            retries.retry("own", policy).call(() -> work.unretried(1));
            assertThat(work.logged()).containsExactly("null null null", "own 2 3");
        });
    }

    @Test
    void firstAttemptsAreThereIfTheApplicationWants() {
        runner.withPropertyValues("retryon.log.first-attempt=true").run(context -> {
            Work work = context.getBean(Work.class);
            work.run(0);
            assertThat(work.logged()).containsExactly("Work.run 1 3");
            assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
            work.logged().clear();
            work.run(1);
            assertThat(work.logged()).containsExactly("Work.run 1 3", "Work.run 2 3");
            work.logged().clear();
            assertThat(work.later(1)).succeedsWithin(Duration.ofSeconds(30));
            assertThat(work.logged()).containsExactly("Work.later 1 3", "Work.later 2 3");
            assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
        });
    }

    @Test
    void aLogContextThatFailsIsIgnored() {
        runner.run(context -> {
            Work work = context.getBean(Work.class);
            try (MockedStatic<MDC> broken = mockStatic(MDC.class, call -> {
                throw new IllegalStateException("broken");
            })) {
                assertThat(work.silently(2)).isEqualTo(3);
                broken.verify(MDC::getMDCAdapter, atLeastOnce());
            }
        });
    }

    static class Work {

        private final List<String> logged = new CopyOnWriteArrayList<>();

        List<String> logged() {
            return logged;
        }

        @RetryOn(IOException.class)
        public int run(int failures) throws IOException {
            log();
            return silently(failures);
        }

        @RetryOn(IOException.class)
        public int silently(int failures) throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt <= failures) {
                throw new IOException("attempt " + attempt);
            }
            return attempt;
        }

        @RetryOn(IOException.class)
        public CompletableFuture<Integer> later(int failures) {
            log();
            int attempt = RetryContext.current().attempt();
            return attempt <= failures
                    ? CompletableFuture.failedFuture(new IOException("attempt " + attempt))
                    : CompletableFuture.completedFuture(attempt);
        }

        public int unretried(int failures) throws IOException {
            log();
            if (RetryContext.current().attempt() <= failures) {
                throw new IOException("down");
            }
            return failures;
        }

        private void log() {
            logged.add(MDC.get("retry.name") + " " + MDC.get("retry.attempt") + " " + MDC.get("retry.max-attempts"));
        }
    }
}

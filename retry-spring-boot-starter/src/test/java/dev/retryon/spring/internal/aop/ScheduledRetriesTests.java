// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/** {@code @Scheduled} and {@code @RetryOn} on one method: each run of the schedule is a call with its own attempts. */
class ScheduledRetriesTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(Scheduling.class, VirtualTimeBeans.class)
            .withBean(Cleaner.class);

    @Test
    void aScheduledRunIsRetried() {
        runner.run(context -> {
            Cleaner cleaner = context.getBean(Cleaner.class);
            cleaner.failFirst(2);

            scheduledRun(context).run();

            assertThat(cleaner.attempts()).isEqualTo(3); // 3 = 2 failures + 1
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Cleaner.clean")
                    .attempted(3)
                    .waited(ofSeconds(1), ofSeconds(2))
                    .succeeded();
        });
    }

    @Test
    void eachRunHasItsOwnAttempts() {
        runner.run(context -> {
            Cleaner cleaner = context.getBean(Cleaner.class);
            cleaner.failFirst(4);
            Runnable run = scheduledRun(context);

            assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(run::run);
            assertThat(cleaner.attempts()).isEqualTo(3);
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Cleaner.clean")
                    .failed(StopReason.EXHAUSTED);

            run.run();
            assertThat(cleaner.attempts()).isEqualTo(5); // 5 = 3 + 1 failure + 1
            assertThat(context.getBean(RecordedRetries.class))
                    .hasCalls("Cleaner.clean", 2)
                    .of("Cleaner.clean")
                    .attempted(2)
                    .succeeded();
        });
    }

    /** What the scheduler would run. It does so for the first time in a day. */
    private static Runnable scheduledRun(ApplicationContext context) {
        return context.getBeansOfType(ScheduledTaskHolder.class).values().stream()
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .map(ScheduledTask::getTask)
                .findFirst()
                .orElseThrow()
                .getRunnable();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    public static class Cleaner {

        private int attempts;

        private int failures;

        public void failFirst(int attempts) {
            failures = attempts;
        }

        public int attempts() {
            return attempts;
        }

        @Scheduled(initialDelay = 86_400_000, fixedDelay = 86_400_000)
        @RetryOn(exceptions = UncheckedIOException.class, jitter = "none")
        public void clean() {
            attempts++;
            if (attempts <= failures) {
                throw new UncheckedIOException(new IOException("attempt " + attempts));
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.rates;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Scheduled methods with a lock of ShedLock, which is inside the retries by default. */
@ExtendWith(OutputCaptureExtension.class)
class LockedScheduleTests {

    @Test
    void aLockOfTheWholeCallSkipsNoRetry(CapturedOutput output) throws IOException {
        try (ConfigurableApplicationContext context = start(WholeCall.class)) {
            Report report = context.getBean(Report.class);
            report.send();

            assertThat(report.attempts()).isEqualTo(3);
            context.getBean(Late.class).send();
            assertThat(output).doesNotContain("RETRYON-W24");
        }
    }

    @Test
    void aLockOfEachAttemptSkipsRetriesAndIsOneWarning(CapturedOutput output) throws IOException {
        try (ConfigurableApplicationContext context = start(EachAttempt.class)) {
            String name = Report.class.getName();
            assertThat(output)
                    .containsOnlyOnce("RETRYON-W24: ShedLock locks each attempt of " + name + ".send, " + name
                            + ".store. If the lock is still held, ShedLock skips the retry, and the call counts as a"
                            + " success. Let ShedLock lock the whole call instead: @EnableSchedulerLock(order = 0)")
                    .containsOnlyOnce("RETRYON-W24");
            Report report = context.getBean(Report.class);
            report.send(); // without an error, although no attempt has succeeded

            assertThat(report.attempts()).isEqualTo(1);
            context.getBean(Late.class);
            assertThat(output).contains("ShedLock locks each attempt of " + Late.class.getName() + ".send. If");
        }
    }

    @Test
    void aLockWithoutRetriesAndRetriesWithoutALockAreNoWarning(CapturedOutput output) {
        start(Apart.class).close();

        assertThat(output).doesNotContain("RETRYON-W24");
    }

    private static ConfigurableApplicationContext start(Class<?> configuration) {
        return SpringApplication.run(
                configuration,
                "--spring.main.web-application-type=none",
                "--spring.datasource.url=jdbc:h2:mem:" + configuration.getSimpleName(),
                "--retryon.defaults.delay=1ms");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "PT5M")
    @Import({Report.class, Late.class, Locks.class})
    static class EachAttempt {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "PT5M", order = 0)
    @Import({Report.class, Late.class, Locks.class})
    static class WholeCall {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "PT5M")
    @Import({Separate.class, Locks.class})
    static class Apart {}

    static class Report {

        private int attempts;

        int attempts() {
            return attempts;
        }

        @SchedulerLock(name = "send", lockAtLeastFor = "PT1M")
        @RetryOn(IOException.class)
        public void send() throws IOException {
            if (++attempts < 3) {
                throw new IOException("mail server");
            }
        }

        @SchedulerLock(name = "store")
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void store() throws IOException {
            send();
        }

        @RetryOn(IOException.class)
        public void unlocked() throws IOException {
            send();
        }

        @SchedulerLock(name = "once")
        @RetryOn(value = IOException.class, maxAttempts = 1)
        public void once() throws IOException {
            send();
        }
    }

    @Lazy
    @Scope("prototype")
    static class Late {

        @SchedulerLock(name = "late")
        @RetryOn(IOException.class)
        public void send() throws IOException {
            // nothing to send
        }
    }

    static class Separate {

        @SchedulerLock(name = "locked")
        public void locked() throws IOException {
            retried();
        }

        @RetryOn(IOException.class)
        public void retried() throws IOException {
            // nothing to do
        }
    }

    /** Locks in memory. */
    @Configuration(proxyBeanMethods = false)
    static class Locks {

        @Bean
        LockProvider lockProvider() {
            Map<String, Instant> ends = new ConcurrentHashMap<>();
            return lock -> {
                Instant end = ends.get(lock.getName());
                if (end != null && end.isAfter(Instant.now())) {
                    return Optional.empty();
                }
                ends.put(lock.getName(), lock.getLockAtMostUntil());
                SimpleLock held = () -> ends.put(lock.getName(), lock.getUnlockTime());
                return Optional.of(held);
            };
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Delays as users write them, and backoffs that are methods of the bean. */
class DelaysOfMethodsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withPropertyValues("retryon.defaults.jitter=none")
            .withBean(Service.class);

    @Test
    void aBackoffMayBeAPrivateMethod() {
        runner.run(context -> {
            context.getBean(Service.class).privateBackoff();
            // 3 = 3 · 1, 6 = 3 · 2
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Service.privateBackoff")
                    .waited(ofSeconds(3), ofSeconds(6))
                    .recovered();
        });
    }

    @Test
    void aBackoffMayBeAPrivateMethodOfTheBaseClassThatReadsTheDelayBefore() {
        runner.run(context -> {
            context.getBean(Service.class).inheritedBackoff();
            // 2 s first, then 2 + 1
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Service.inheritedBackoff")
                    .waited(ofSeconds(2), ofSeconds(3))
                    .recovered();
        });
    }

    @Test
    void durationsAreIso8601InAnnotationsAndProperties() {
        runner.withPropertyValues("retryon.defaults.max-delay=PT20S").run(context -> {
            context.getBean(Service.class).isoDelay();
            // 15 s, then 30 s cut to 20 s
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Service.isoDelay")
                    .waited(ofSeconds(15), ofSeconds(20))
                    .recovered();
        });
    }

    @Test
    void aMethodThatIsNoBackoffIsRefusedWithWhatABackoffTakes() {
        runner.withBean(Unfit.class)
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .hasMessageContaining(
                                        "backoff is 'pause', but " + Unfit.class.getName()
                                                + " has Duration pause(long), long pause(int, Duration); a backoff method takes (int retry,"
                                                + " Duration base) or (int retry, Duration base, Duration previous) and returns a Duration"));
    }

    static class Unfit {

        @RetryOn(exceptions = IOException.class, backoff = "pause")
        public void charge() {}

        Duration pause(long millis) {
            return Duration.ofMillis(millis);
        }

        long pause(int retry, Duration base) {
            return base.multipliedBy(retry).toMillis();
        }
    }

    static class Base {

        private Duration growing(int retry, Duration base, @Nullable Duration previous) {
            return previous == null ? ofSeconds(2) : previous.plusSeconds(1);
        }
    }

    public static class Service extends Base {

        @RetryOn(exceptions = IOException.class, delay = "3s", backoff = "times", recover = "giveUp")
        public String privateBackoff() throws IOException {
            throw new IOException("down");
        }

        private Duration times(int retry, Duration base) {
            return base.multipliedBy(retry);
        }

        @RetryOn(exceptions = IOException.class, backoff = "growing", recover = "giveUp")
        public String inheritedBackoff() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(exceptions = IOException.class, delay = "PT15S", recover = "giveUp")
        public String isoDelay() throws IOException {
            throw new IOException("down");
        }

        String giveUp(IOException error) {
            return "given up";
        }
    }
}

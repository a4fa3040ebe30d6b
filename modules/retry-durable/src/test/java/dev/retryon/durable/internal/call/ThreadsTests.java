// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ThreadsTests {

    /** The table of {@code docs/internals/architecture.md}. */
    private static List<String> documented() throws IOException {
        String page = Files.readString(Path.of("../../docs/internals/architecture.md"));
        int start = page.indexOf("\n## Threads of durable calls");
        String section = page.substring(start);
        return Pattern.compile("(?m)^\\| `(retryon-[a-z-]+)")
                .matcher(section)
                .results()
                .map(result -> result.group(1))
                .toList();
    }

    @Test
    void threadsAreNamedAfterTheirJobs() throws IOException {
        List<String> documented = documented();
        assertThat(documented).hasSizeLessThanOrEqualTo(8);
        LanesOnH2Tests.h2()
                .withPropertyValues(
                        "retryon.durable.lanes.mail.threads=1",
                        "retryon.durable.max-waiting=100",
                        "retryon.dead-letter.retention.max-age=30d",
                        "retryon.jdbc.shared-settings.enabled=true")
                .withBean(Mails.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    mails.send();
                    assertThat(catchThrowable(mails::die)).isInstanceOf(IOException.class);
                    DurableTrial.await().until(() -> DurableTrial.stored(context) == 0);

                    List<String> running = Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .filter(name -> name.startsWith("retryon-") && !name.equals("retryon-timer"))
                            .toList();
                    assertThat(running)
                            .isNotEmpty()
                            .allMatch(name -> documented.stream().anyMatch(name::startsWith));
                    assertThat(documented.subList(0, 4))
                            .allMatch(job -> running.stream().anyMatch(name -> name.startsWith(job)));
                });
    }

    static class Mails {

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, lane = "mail")
        public void send() {}

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void die() throws IOException {
            throw new IOException("down");
        }
    }
}

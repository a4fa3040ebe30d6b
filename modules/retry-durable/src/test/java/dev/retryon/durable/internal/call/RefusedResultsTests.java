// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Results that the database refuses: the log does not contradict itself, and one cause gives few lines. */
@ExtendWith(OutputCaptureExtension.class)
class RefusedResultsTests {

    @TempDir
    private Path folder;

    private final Mails mails = new Mails();

    private ApplicationContextRunner with(ApplicationContextRunner application) {
        return application
                .withPropertyValues("retryon.jdbc.initialize-schema=always", "retryon.durable.heartbeat-interval=250ms")
                .withBean(Mails.class, () -> mails);
    }

    private static void execute(ApplicationContext context, String statement) {
        new JdbcTemplate(DurableTrial.store(context).dataSource()).execute(statement);
    }

    /** Returns the warnings of RetryOn, in any log format that another test has configured. */
    private static List<String> warnings(CapturedOutput output) {
        return output.getAll()
                .lines()
                .filter(line -> line.matches(".* WARN .*dev\\.retryon\\s+(--|:) .*"))
                .toList();
    }

    @Test
    void theLogDoesNotPromiseBothThatTheCallEndsAndThatItRunsAgain(CapturedOutput output) {
        with(DurableTrial.inMemory()).run(context -> {
            execute(context, "alter table retryon_call add constraint only_one check (attempt < 2)");
            execute(context, "alter table retryon_call add constraint none check (state = 'WAITING')");
            mails.failures = 2;

            context.getBean(Mails.class).send();

            await().until(() -> warnings(output).stream()
                    .anyMatch(line -> line.contains("the call runs again when its lease expires")));
            assertThat(warnings(output))
                    .noneMatch(line -> line.contains("is not retried"))
                    .anyMatch(line -> line.contains("the next retry of a stored call could not be stored"));
            execute(context, "alter table retryon_call drop constraint only_one");
            await().until(() -> DurableTrial.stored(context) == 0);
        });
    }

    @Test
    void aWorkerWaitsForATableThatIsGone(CapturedOutput output) {
        with(DurableTrial.inMemory()).run(context -> checkTable(context, output));
    }

    @Test
    void aWorkerWaitsForATableOfAFileThatIsGone(CapturedOutput output) {
        with(DurableTrial.embedded(folder)).run(context -> checkTable(context, output));
    }

    private void checkTable(ApplicationContext context, CapturedOutput output) throws IOException {
        mails.failures = 1;
        mails.during = () -> execute(context, "alter table retryon_call rename to elsewhere");
        context.getBean(Mails.class).send();

        await().until(() -> output.getAll().contains("the worker waits for the database"));
        await().until(() -> output.getAll().contains("due calls cannot be read"));
        execute(context, "alter table elsewhere rename to retryon_call");

        await().until(() -> DurableTrial.stored(context) == 0);
        assertThat(mails.attempts).hasValue(2);
        assertThat(DurableTrial.deadLetters(context)).isEmpty();
        assertThat(warnings(output)).hasSize(2);
    }

    static class Mails {

        private final AtomicInteger attempts = new AtomicInteger();

        private volatile int failures;

        private volatile Runnable during = () -> {};

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() throws IOException {
            int attempt = attempts.incrementAndGet();
            if (attempt == 2) {
                during.run();
            }
            if (attempt <= failures) {
                throw new IOException("down");
            }
        }
    }
}

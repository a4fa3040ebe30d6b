// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.CallState;
import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.RuntimeChange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Stored calls of methods whose retries an operator has switched off. */
class SwitchedOffTests {

    @TempDir
    private Path folder;

    private ApplicationContextRunner application() {
        return DurableTrial.embedded(folder)
                .withConfiguration(AutoConfigurations.of(RetryEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "retryon.durable.heartbeat-interval=250ms",
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=*")
                .withBean(Mails.class);
    }

    private static void switchOff(ApplicationContext context) {
        context.getBean(RuntimeSettings.class)
                .change(
                        new RuntimeChange.Target(RuntimeChange.Scope.NAME, "Mails.send", false),
                        Map.of("retryable", "false"),
                        null,
                        "alice");
    }

    private static void switchOn(ApplicationContext context) {
        context.getBean(RuntimeSettings.class)
                .takeBack(new RuntimeChange.Target(RuntimeChange.Scope.NAME, "Mails.send", false), "alice");
    }

    private static List<Integer> attempts(ApplicationContext context) {
        return context.getBean(Mails.class).attempts();
    }

    /** Waits until the call is postponed: nobody holds it, and it is due much later. */
    private static void awaitPostponed(ApplicationContext context) {
        await().until(() -> DurableTrial.store(context)
                        .jdbc()
                        .sql("select count(*) from retryon_call where picked = 0 and execution_time > ?")
                        .param(Instant.now().plusSeconds(5).toEpochMilli())
                        .query(Long.class)
                        .single()
                == 1);
    }

    /** Postponed calls are due in some seconds, for which no test waits. */
    private static void makeDue(ApplicationContext context) {
        DurableTrial.store(context)
                .jdbc()
                .sql("update retryon_call set execution_time = 0")
                .update();
    }

    @Test
    void waitUntilTheRetriesAreOnAgain() {
        application().run(context -> {
            switchOff(context);
            // The first attempt is made. Its caller hears nothing of the error: the call is not lost.
            context.getBean(Mails.class).send();
            awaitPostponed(context);
            assertThat(attempts(context)).containsExactly(1);

            switchOn(context);
            makeDue(context);

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(attempts(context)).containsExactly(1, 2, 3);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @Test
    void aLostAttemptCountsAfterwards() {
        application().run(context -> {
            switchOff(context);
            long then = Instant.now().minusSeconds(60).toEpochMilli();
            byte[] call = new StoredCallFormat(64 * 1024)
                    .write(new CallContent(
                            Mails.class.getName() + "#send()",
                            "Mails.send",
                            null,
                            "[]",
                            new CallState(
                                    "orphan", 1, Duration.ofMillis(1), Instant.now(), List.of(), null, null, null),
                            Duration.ofMillis(1),
                            RetrySettings.NONE,
                            Map.of()));
            DurableTrial.store(context)
                    .jdbc()
                    .sql(
                            "insert into retryon_call (task_name, task_instance, task_data, execution_time, picked,"
                                    + " picked_by, last_heartbeat, version) values ('retryon', 'orphan', ?, ?, 1, 'gone', ?, 2)")
                    .params(call, then, then)
                    .update();
            awaitPostponed(context);
            assertThat(attempts(context)).isEmpty();

            switchOn(context);
            makeDue(context);

            await().until(() -> DurableTrial.stored(context) == 0);
            // The second was the one that nobody saw the end of.
            assertThat(attempts(context)).containsExactly(3);
        });
    }

    static class Mails {

        private final List<Integer> attempts = new CopyOnWriteArrayList<>();

        List<Integer> attempts() {
            return attempts;
        }

        @RetryOn(value = IOException.class, maxAttempts = 3)
        @Durable(ON_FAILURE)
        public void send() throws IOException {
            attempts.add(RetryContext.current().attempt());
            if (RetryContext.current().attempt() < 3) {
                throw new IOException("down");
            }
        }
    }
}

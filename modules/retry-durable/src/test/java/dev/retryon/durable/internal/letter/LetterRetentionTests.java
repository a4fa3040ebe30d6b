// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.TestDatabase;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.ExtensionErrors;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;

/** Dead letters that are deleted because the operator says so, from stores that have some when the application starts. */
@ExtendWith(OutputCaptureExtension.class)
class LetterRetentionTests {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    RetryDurableCoreAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class));

    private final CallStore store = TestDatabase.calls();

    private final ApplicationContextRunner inMemory = runner.withBean(CallStore.class, () -> store);

    @Test
    void nothingIsDeletedUnlessTheOperatorSaysSo() {
        fill(store);
        inMemory.run(context -> {
            assertThat(context.getBean("retryOnDeadLetterRetention", SmartLifecycle.class)
                            .isRunning())
                    .isFalse();
            assertThat(ids(store)).hasSize(4);
        });
    }

    @Test
    void theOldAreDeletedWhateverTheirStatusUnlessTheyAreBeingSentAgain(CapturedOutput output) {
        fill(store);
        store.discard("d3", new StoredCall.Action(Instant.now(), null, What.DISCARDED, null));
        store.resend(
                new StoredCall.Action(Instant.now(), null, What.RESENT, null),
                "d2",
                new byte[0],
                new CallEngine.Label("Mails.send", null, 0, Instant.now(), "default", ""),
                Instant.now(),
                null);
        inMemory.withPropertyValues("retryon.dead-letter.retention.max-age=36h").run(context -> {
            await().atMost(LONG).until(() -> ids(store).size() == 2);

            assertThat(ids(store)).containsExactly("d1", "d2"); // 24 and 48 hours old
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(output)
                            .containsOnlyOnce("2 dead letters were deleted because of retryon.dead-letter.retention"));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:retention;DB_CLOSE_DELAY=-1", "jdbc:sqlite:%s/retention.db"})
    void theSurplusIsDeletedFromADatabase(String url, @TempDir Path directory) {
        ApplicationContextRunner database = runner.withPropertyValues(
                "spring.datasource.url=" + url.formatted(directory),
                "spring.datasource.hikari.maximum-pool-size=1",
                "retryon.jdbc.initialize-schema=always");
        database.run(context -> fill(context.getBean(CallStore.class)));

        database.withPropertyValues(
                        "retryon.dead-letter.retention.max-count=3", "retryon.dead-letter.retention.max-age=60h")
                .run(context -> {
                    CallStore kept = context.getBean(CallStore.class);
                    await().atMost(LONG).until(() -> ids(kept).size() == 2);
                    assertThat(ids(kept)).containsExactly("d1", "d2");
                });
        database.withPropertyValues("retryon.dead-letter.retention.max-count=1").run(context -> {
            CallStore kept = context.getBean(CallStore.class);
            await().atMost(LONG).until(() -> ids(kept).size() == 1);
            assertThat(ids(kept)).containsExactly("d1");
        });
    }

    @Test
    void twoProcessesDeleteNoMoreThanOne() {
        fill(store);
        String property = "retryon.dead-letter.retention.max-count=2";
        inMemory.withPropertyValues(property)
                .run(one -> inMemory.withPropertyValues(property).run(other -> {
                    await().atMost(LONG).until(() -> ids(store).size() == 2);
                    assertThat(ids(store)).containsExactly("d1", "d2");
                }));
        assertThat(ids(store)).hasSize(2);
    }

    @Test
    void aStoreThatFailsIsCountedAndEndsNothing(CapturedOutput output) {
        ApplicationContextRunner withoutDatabase = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class));
        withoutDatabase
                .withPropertyValues("retryon.dead-letter.retention.max-count=2")
                .run(context -> {
                    await().atMost(LONG)
                            .until(() -> context.getBean(ExtensionErrors.class)
                                            .count(ExtensionErrorListener.Kind.STORE, "any")
                                    == 1);
                    assertThat(output)
                            .contains("dead letters beyond retryon.dead-letter.retention could not be" + " deleted");
                    assertThat(context.getBean("retryOnDeadLetterRetention", SmartLifecycle.class)
                                    .isRunning())
                            .isTrue();
                });
    }

    @Test
    void whatIsOutOfBoundsIsAFault() {
        inMemory.withPropertyValues(
                        "retryon.dead-letter.retention.max-age=0s",
                        "retryon.dead-letter.retention.max-count=0",
                        "retryon.dead-letter.health.max-age=-1d",
                        "retryon.dead-letter.health.max-count=-1")
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .containsExactlyInAnyOrder(
                                "retryon.dead-letter.retention.max-age: is '0s', but must be between 1s and 36500d",
                                "retryon.dead-letter.retention.max-count: is '0', but must be at least 1",
                                "retryon.dead-letter.health.max-age: is '-24h', but must be between 1s and 36500d",
                                "retryon.dead-letter.health.max-count: is '-1', but must be at least 0"));
    }

    /** The number says how many days ago it died. */
    private static void fill(CallStore store) {
        for (int days = 1; days <= 4; days++) {
            store.put(Letters.letter(
                    "d" + days, "com.acme.Mails#send()", "[]", Instant.now().minus(Duration.ofDays(days))));
        }
    }

    private static List<String> ids(CallStore store) {
        return store.list(StoredCalls.Filter.ALL, null, 100).calls().stream()
                .map(StoredCalls.Summary::id)
                .toList();
    }
}

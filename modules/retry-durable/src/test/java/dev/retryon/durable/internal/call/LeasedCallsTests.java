// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RuntimeChange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Only a call that may run is leased: the version of a row changes with each lease and each write after it. */
@Tag("database")
class LeasedCallsTests {

    private static final RuntimeChange.Target PAY =
            new RuntimeChange.Target(RuntimeChange.Scope.NAME, "Jobs.pay", false);

    private static final Map<String, String> PAUSED = Map.of("paused", "true");

    private final List<String> done = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    private ApplicationContextRunner application(EachDatabaseTests.Product product) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + product.url(folder),
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.lanes.mail.priority=1")
                .withBean(Jobs.class, () -> new Jobs(done));
    }

    private static long latestVersion(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select max(version) from retryon_call")
                .query(Long.class)
                .single();
    }

    @ParameterizedTest
    @EnumSource
    void aCallOfAnUnknownOrPausedMethodIsNeverLeased(EachDatabaseTests.Product product) {
        ApplicationContextRunner node = application(product);
        node.withBean(Foreign.class).run(newer -> {
            newer.getBean(DurableLifecycle.class).stop();
            newer.getBean(Foreign.class).run("unknown");
        });
        node.run(context -> {
            RuntimeSettings settings = context.getBean(RuntimeSettings.class);
            settings.change(PAY, PAUSED, null, "operator");
            context.getBean(Jobs.class).pay("paused");
            context.getBean(Jobs.class).work("work");

            await().until(() -> done.contains("work"));
            await().during(Duration.ofSeconds(1)).until(() -> DurableTrial.stored(context) == 2);
            assertThat(latestVersion(context)).isOne();

            settings.takeBack(PAY, "operator");
            await().until(() -> DurableTrial.stored(context) == 1);
            assertThat(latestVersion(context)).isOne();
            assertThat(done).containsExactly("work", "paused");
        });
    }

    @ParameterizedTest
    @EnumSource
    void aCallBeyondTheRateIsNotLeased(EachDatabaseTests.Product product) {
        application(product)
                .withPropertyValues("retryon.durable.max-per-second=5")
                .run(context -> {
                    for (int i = 0; i < 6; i++) {
                        context.getBean(Jobs.class).mail("mail " + i);
                    }

                    await().until(() -> {
                        // A call that waits has version 1, and one that runs has version 2.
                        assertThat(DurableTrial.store(context)
                                        .jdbc()
                                        .sql("select count(*) from retryon_call where version > 2")
                                        .query(Long.class)
                                        .single())
                                .isZero();
                        return DurableTrial.stored(context) == 0;
                    });
                    assertThat(done).hasSize(6).doesNotHaveDuplicates();
                });
    }

    @ParameterizedTest
    @EnumSource
    void aResumedMethodDoesNotWaitForTheNextPoll(EachDatabaseTests.Product product) {
        application(product)
                .withPropertyValues("retryon.durable.poll-interval=1h")
                .run(context -> {
                    RuntimeSettings settings = context.getBean(RuntimeSettings.class);
                    settings.change(PAY, PAUSED, null, "operator");
                    for (int i = 0; i < 20; i++) {
                        context.getBean(Jobs.class).pay("paused " + i);
                    }
                    await().during(Duration.ofMillis(300)).until(done::isEmpty);
                    settings.takeBack(PAY, "operator");
                    await().atMost(Duration.ofSeconds(1)).until(() -> !done.isEmpty());
                    await().until(() -> DurableTrial.stored(context) == 0);

                    settings.change(PAY, PAUSED, Duration.ofSeconds(1), "operator");
                    context.getBean(Jobs.class).pay("until");
                    await().during(Duration.ofMillis(300)).until(() -> done.size() == 20);
                    await().until(() -> done.contains("until"));
                });
    }

    @RetryOn(IOException.class)
    @Durable(OUTBOX)
    static class Jobs {

        private final List<String> done;

        Jobs(List<String> done) {
            this.done = done;
        }

        public void work(String id) {
            done.add(id);
        }

        public void pay(String id) {
            done.add(id);
        }

        @Durable(lane = "mail")
        public void mail(String id) {
            done.add(id);
        }
    }

    @RetryOn(IOException.class)
    @Durable(OUTBOX)
    static class Foreign {

        public void run(String id) {}
    }
}

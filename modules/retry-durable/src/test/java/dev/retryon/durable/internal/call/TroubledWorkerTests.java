// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A worker whose database refuses what it needs: one line in the log, a warning in health, and it continues by itself. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("database")
class TroubledWorkerTests {

    private static final String OURS = "due calls cannot be read;";

    private static final String SCHEDULER = "Unhandled exception";

    private final AtomicInteger sent = new AtomicInteger();

    private final AtomicInteger tried = new AtomicInteger();

    @TempDir
    private Path folder;

    public class Mails {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {
            sent.incrementAndGet();
        }

        @RetryOn(value = IOException.class, delay = "1s")
        @Durable(OUTBOX)
        public void sendLater() throws IOException {
            if (tried.incrementAndGet() == 1) {
                throw new IOException("busy");
            }
        }
    }

    private ApplicationContextRunner with(ApplicationContextRunner application) {
        return application
                .withConfiguration(AutoConfigurations.of(
                        HealthContributorAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class,
                        RetryDurableTelemetryAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoint.health.show-details=always",
                        "retryon.durable.heartbeat-interval=250ms",
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class, Mails::new);
    }

    private static IndicatedHealthDescriptor health(ApplicationContext context) {
        return (IndicatedHealthDescriptor) context.getBean(HealthEndpoint.class).healthForPath("retryOnDurableCalls");
    }

    private static int count(CapturedOutput output, String text) {
        return output.getAll().split(text, -1).length - 1;
    }

    /** Returns how often the scheduler has logged an error. */
    private int trouble(ApplicationContext context, CapturedOutput output) {
        context.getBean(Mails.class).send();
        await().until(() -> sent.get() == 1 && DurableTrial.stored(context) == 0);
        assertThat(health(context).getStatus().getCode()).isEqualTo("UP");

        JdbcTemplate jdbc = new JdbcTemplate(DurableTrial.store(context).dataSource());
        jdbc.execute("alter table retryon_call rename to elsewhere");
        await().until(() -> health(context).getStatus().getCode().equals("WARNING"));
        assertThat(String.valueOf(health(context).getDetails().get("problem")))
                .startsWith("due calls cannot be read: ")
                .contains("retryon_call");
        // Many polls later
        await().during(Duration.ofSeconds(1))
                .until(() -> health(context).getStatus().getCode().equals("WARNING"));
        jdbc.execute("alter table elsewhere rename to retryon_call");

        await().until(() -> health(context).getStatus().getCode().equals("UP"));
        context.getBean(Mails.class).send();
        await().until(() -> sent.get() == 2);
        return count(output, SCHEDULER);
    }

    @Test
    void onPostgres(CapturedOutput output) {
        with(DurableTrial.inMemory())
                .withPropertyValues("spring.datasource.url=" + TestPostgres.database())
                .run(context -> {
                    assertThat(trouble(context, output)).isZero();
                    assertThat(count(output, OURS)).isOne();
                });
    }

    @Test
    void inAFile(CapturedOutput output) {
        with(DurableTrial.embedded(folder)).run(context -> {
            assertThat(trouble(context, output)).isZero();
            assertThat(count(output, OURS)).isOne();
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void onOtherServers(TestServer server, CapturedOutput output) {
        with(DurableTrial.inMemory())
                .withPropertyValues("spring.datasource.url=" + server.database())
                .run(context -> {
                    assertThat(trouble(context, output)).isZero();
                    assertThat(count(output, OURS)).isOne();
                });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void onAServerThatBecomesReadOnly(TestServer server, CapturedOutput output) {
        String url = server.database();
        JdbcTemplate administrator = new JdbcTemplate(new DriverManagerDataSource(url));
        with(DurableTrial.inMemory())
                .withPropertyValues("spring.datasource.url=" + server.ofApplication(url, "all"))
                .run(context -> {
                    context.getBean(Mails.class).sendLater();
                    await().until(() -> tried.get() == 1 && waiting(administrator) == 1);
                    server.readOnly(
                            url,
                            () -> await().until(() ->
                                    health(context).getStatus().getCode().equals("WARNING")));
                    await().until(() -> tried.get() == 2
                            && health(context).getStatus().getCode().equals("UP"));
                    assertThat(output.getAll()).doesNotContain("Exception in thread");
                    assertThat(count(output, OURS)).isOne();
                });
    }

    private static int waiting(JdbcTemplate jdbc) {
        Integer count = jdbc.queryForObject("select count(*) from retryon_call where picked = false", Integer.class);
        return count == null ? 0 : count;
    }
}

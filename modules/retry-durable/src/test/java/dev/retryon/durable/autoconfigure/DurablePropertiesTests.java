// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCalls;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;

/** The properties of this module in every form that Spring Boot binds, and their values that are ignored. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class DurablePropertiesTests {

    private final CapturedOutput output;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableCoreAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class))
            .withPropertyValues("retryon.warnings.ignore=W21")
            .withBean(Mails.class);

    DurablePropertiesTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> warnings() {
        return output.getAll()
                .lines()
                .filter(line -> line.contains("RETRYON-W"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "retryon.deadLetter.retention.maxAge",
                "retryon.dead_letter.retention.max_age",
                "RETRYON.DEADLETTER.RETENTION.MAXAGE"
            })
    void aNameInAnotherForm(String name) {
        application.withPropertyValues(name + "=30d").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(RetryDeadLetterProperties.class)
                            .retention()
                            .maxAge())
                    .hasDays(30);
        });
        assertThat(warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RETRYON_JDBC_SHAREDSETTINGS_POLLINTERVAL", "RETRYON_JDBC_SHARED_SETTINGS_POLL_INTERVAL"})
    void anEnvironmentVariableOfANestedBlock(String variable) {
        application
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                "systemEnvironment",
                                new SystemEnvironmentPropertySource("systemEnvironment", Map.of(variable, "7s"))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(RetryJdbcProperties.class)
                                    .sharedSettings()
                                    .pollInterval())
                            .hasSeconds(7);
                });
        assertThat(warnings()).isEmpty();
    }

    @Test
    void aScriptAndAPlatformWithoutAValue() {
        application
                .withPropertyValues("retryon.jdbc.platform=", "retryon.jdbc.schema=")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aLaneThatCannotBeIsAFault() {
        application
                .withPropertyValues(
                        "retryon.durable.lanes.default.threads=1",
                        "retryon.durable.lanes.Mail.threads=1",
                        "retryon.durable.lanes.sms.threads=-1",
                        "retryon.durable.lanes.fax.threads=2",
                        "retryon.durable.lanes.fax.priority=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("retryon.durable.lanes.default")
                        .hasMessageContaining(
                                "is the lane of methods without a configured lane; use retryon.durable.threads instead")
                        .hasMessageContaining("retryon.durable.lanes.Mail")
                        .hasMessageContaining("is not a valid lane name; use at most 50 lower-case letters")
                        .hasMessageContaining("retryon.durable.lanes.sms.threads")
                        .hasMessageContaining("is '-1', but must not be negative")
                        .hasMessageContaining("retryon.durable.lanes.fax.priority")
                        .hasMessageContaining(
                                "is '1', but the lane has its own threads and does not compete with other lanes; remove"
                                        + " retryon.durable.lanes.fax.priority or retryon.durable.lanes.fax.threads"));
    }

    @Test
    void aLaneOfAFileNeedsThreadsInThisProcess() {
        application
                .withPropertyValues("retryon.durable.store=embedded", "retryon.durable.lanes.mail.threads=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("retryon.durable.lanes.mail.threads")
                        .hasMessageContaining("no other process can run the calls in that file; use at least 1"));
    }

    @Test
    void wrongValuesAreReplacedByDefaultsIfFaultsOfPropertiesAreWarnings() {
        application
                .withPropertyValues(
                        "retryon.checks=warn",
                        "retryon.durable.threads=-1",
                        "retryon.durable.poll-interval=0s",
                        "retryon.durable.heartbeat-interval=2h",
                        "retryon.durable.unresolved-after=-1s",
                        "retryon.durable.attempt-timeout=-1s",
                        "retryon.durable.lanes.default.threads=1",
                        "retryon.durable.lanes.mail.threads=-1",
                        "retryon.durable.lanes.mail.max-waiting=0",
                        "retryon.durable.max-waiting=-1",
                        "retryon.durable.max-per-second=NaN",
                        "retryon.durable.lanes.mail.max-per-second=0",
                        "retryon.durable.lanes.bulk.max-per-second=-Infinity",
                        "retryon.durable.lanes.slow.max-per-second=0.0001",
                        "retryon.durable.lanes.fast.max-per-second=10001",
                        "retryon.dead-letter.timeout=0s",
                        "retryon.dead-letter.max-arguments-size=1B",
                        "retryon.dead-letter.aliases.Mails=Letters",
                        "retryon.dead-letter.retention.max-count=0",
                        "retryon.jdbc.own-connections=-1",
                        "retryon.jdbc.shared-settings.poll-interval=0s")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    RetryDurableProperties durable = context.getBean(RetryDurableProperties.class);
                    assertThat(durable.threads()).isEqualTo(5);
                    assertThat(durable.pollInterval()).hasSeconds(1);
                    assertThat(durable.heartbeatInterval()).hasSeconds(10);
                    assertThat(durable.unresolvedAfter()).isEqualTo(Duration.ofHours(1));
                    assertThat(durable.toLanes().names()).containsExactly("bulk", "default", "fast", "mail", "slow");
                    assertThat(durable.maxPerSecond()).isNull();
                    assertThat(durable.attemptTimeout()).isEqualTo(Duration.ofMinutes(5));
                    RetryDeadLetterProperties letters = context.getBean(RetryDeadLetterProperties.class);
                    assertThat(letters.timeout()).hasSeconds(10);
                    assertThat(letters.maxArgumentsSize()).isEqualTo(DataSize.ofKilobytes(64));
                    assertThat(letters.aliases()).isEmpty();
                    assertThat(letters.retention().maxCount()).isNull();
                    RetryJdbcProperties jdbc = context.getBean(RetryJdbcProperties.class);
                    assertThat(jdbc.ownConnections()).isEqualTo(4);
                    assertThat(jdbc.sharedSettings().pollInterval()).hasSeconds(1);
                });
        assertThat(warnings())
                .hasSize(20)
                .anyMatch(line -> line.contains("retryon.durable.max-per-second")
                        && line.contains("is 'NaN', but must be a number from 0.001 to 10000, such as 20"))
                .anyMatch(line -> line.contains("retryon.durable.lanes.mail.max-per-second")
                        && line.contains("is '0.0', but must be"))
                .anyMatch(line -> line.contains("retryon.durable.max-waiting")
                        && line.contains("is '-1', but must be at least 1"))
                .anyMatch(line -> line.contains("retryon.durable.lanes.mail.max-waiting")
                        && line.contains("is '0', but must be at least 1"))
                .allMatch(line -> line.contains("(ignored, because retryon.checks is 'warn')"))
                .anyMatch(line -> line.contains("retryon.durable.unresolved-after") && line.contains("is '-1s'"));
    }

    @Test
    void theModuleIsOffIfItsCoreIsExcluded() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class,
                        RetryDurableTelemetryAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(StoredCalls.class));
    }

    static class Mails {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(String order) {}
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The start-up faults of settings that need a module which is not on the class path. */
@ExtendWith(OutputCaptureExtension.class)
class ModulesTests {

    private static final String DURABLE = "dev.retryon:retry-durable";

    private static final String HTTP = "dev.retryon:retry-http";

    @ParameterizedTest
    @CsvSource({
        "retryon.durable.threads, 3, retryon.durable, " + DURABLE,
        "retryon.dead-letter.timeout, 1s, retryon.dead-letter, " + DURABLE,
        "retryon.jdbc.initialize-schema, never, retryon.jdbc, " + DURABLE,
        "retryon.http.enabled, true, retryon.http, " + HTTP
    })
    void propertiesOfAMissingModuleAreAFault(
            String property, String value, String block, String dependency, CapturedOutput output) {
        String printed = BootRun.of("module of " + property, property + ": " + value, Plain.class)
                .failure(output);

        assertThat(printed).contains("The retry configuration has a fault:", block);
        assertThat(printed).containsOnlyOnce("needs another module; add the dependency " + dependency);
        assertThat(printed).containsOnlyOnce("dev.retryon:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"threads: 3", "threads: many", "thraeds: 3"})
    void severalPropertiesOfAMissingModuleAreOneFault(String first, CapturedOutput output) {
        String printed = BootRun.of(
                        "module of several properties",
                        "retryon.durable:\n  " + first + "\n  poll-interval: 1s\n  codec: jackson",
                        Plain.class)
                .failure(output);

        assertThat(printed).contains("The retry configuration has a fault:");
        assertThat(printed).containsOnlyOnce(DURABLE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "retryon.defaults.durable.mode | outbox | retryon.defaults.durable",
                "retryon.policies.mails.durable.lane | mail | retryon.policies.mails.durable",
                "retryon.methods[com.acme.Mails#send].durable.mode | on-exhaustion | retryon.methods[com.acme.Mails#send].durable"
            })
    void settingsOfAMissingModuleAreAFault(String property, String value, String block, CapturedOutput output) {
        String printed = BootRun.of(
                        "module of the setting " + property.replaceAll("[^a-z]", " "),
                        "\"" + property + "\": " + value,
                        Plain.class)
                .failure(output);

        assertThat(printed).contains(block, "needs another module; add the dependency " + DURABLE);
        assertThat(printed).containsOnlyOnce("dev.retryon:");
    }

    @Test
    void aspectJModeNeedsItsModule(CapturedOutput output) {
        String printed = BootRun.of("module of AspectJ mode", "retryon.mode: aspectj", Plain.class)
                .failure(output);

        assertThat(printed)
                .contains(
                        "retryon.mode",
                        "is 'aspectj', but this mode needs another module; add the dependency"
                                + " dev.retryon:retry-aspects");
        assertThat(printed).containsOnlyOnce("dev.retryon:");
    }

    @Test
    void withoutItsModuleAspectJModeIsIgnoredIfFaultsAreWarnings(CapturedOutput output) {
        BootRun application =
                BootRun.of("ignored AspectJ mode", "retryon:\n  mode: AspectJ\n  checks: warn", Plain.class);

        try (ConfigurableApplicationContext context = application.start()) {
            assertThat(context.getBean(Plain.class)).isInstanceOf(Advised.class);
        }
        assertThat(output).contains("RETRYON-W01: retryon.mode: is 'aspectj', but this mode needs another module");
    }

    @Test
    void otherApplicationsStartWithoutModules(CapturedOutput output) {
        BootRun application = BootRun.of("without modules", "retryon.defaults.max-attempts: 2", Plain.class);

        try (ConfigurableApplicationContext context = application.start()) {
            assertThat(context.getBean(Plain.class)).isNotNull();
        }
        assertThat(output).doesNotContain("dev.retryon:", "needs another module");
    }

    static class Plain {
        @RetryOn(IOException.class)
        public void charge() {}
    }
}

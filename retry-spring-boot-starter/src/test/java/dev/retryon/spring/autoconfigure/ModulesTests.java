// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.Durable;
import dev.retryon.spring.OnExhaustion;
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
        assertThat(printed).containsOnlyOnce("needs a module; add the dependency " + dependency);
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
    @ValueSource(classes = {Outbox.class, OnFailure.class, DeadLetter.class})
    void methodsThatNeedAMissingModuleAreAFault(Class<?> bean, CapturedOutput output) {
        String printed =
                BootRun.of("module of " + bean.getSimpleName(), "", bean).failure(output);

        assertThat(printed).contains("@RetryOn on " + bean.getName() + ".charge");
        assertThat(printed).contains("this needs a module; add the dependency " + DURABLE);
        assertThat(printed).containsOnlyOnce("dev.retryon:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"durable: outbox", "on-exhaustion: dead-letter"})
    void settingsThatNeedAMissingModuleAreAFault(String setting, CapturedOutput output) {
        String printed = BootRun.of(
                        "module of the setting " + setting.replace(":", ""),
                        "retryon.methods:\n  \"[" + Plain.class.getName() + "#charge]\":\n    " + setting,
                        Plain.class)
                .failure(output);

        assertThat(printed).contains("this needs a module; add the dependency " + DURABLE);
        assertThat(printed).containsOnlyOnce("dev.retryon:");
    }

    @Test
    void aspectJModeNeedsItsModule(CapturedOutput output) {
        String printed = BootRun.of("module of AspectJ mode", "retryon.mode: aspectj", Plain.class)
                .failure(output);

        assertThat(printed)
                .contains(
                        "retryon.mode",
                        "is 'aspectj', but this needs a module; add the dependency dev.retryon:retry-aspects");
        assertThat(printed).containsOnlyOnce("dev.retryon:");
    }

    @Test
    void withoutItsModuleAspectJModeIsIgnoredIfFaultsAreWarnings(CapturedOutput output) {
        BootRun application =
                BootRun.of("ignored AspectJ mode", "retryon:\n  mode: AspectJ\n  checks: warn", Plain.class);

        try (ConfigurableApplicationContext context = application.start()) {
            assertThat(context.getBean(Plain.class)).isInstanceOf(Advised.class);
        }
        assertThat(output).contains("RETRYON-W01: retryon.mode: is 'aspectj', but this needs a module");
    }

    @Test
    void otherApplicationsStartWithoutModules(CapturedOutput output) {
        BootRun application = BootRun.of("without modules", "retryon.defaults.max-attempts: 2", Plain.class);

        try (ConfigurableApplicationContext context = application.start()) {
            assertThat(context.getBean(Plain.class)).isNotNull();
        }
        assertThat(output).doesNotContain("dev.retryon:", "needs a module");
    }

    static class Plain {
        @RetryOn(IOException.class)
        public void charge() {}
    }

    static class Outbox {
        @RetryOn(value = IOException.class, durable = Durable.OUTBOX)
        public void charge() {}
    }

    static class OnFailure {
        @RetryOn(value = IOException.class, durable = Durable.ON_FAILURE)
        public void charge() {}
    }

    static class DeadLetter {
        @RetryOn(value = IOException.class, onExhaustion = OnExhaustion.DEAD_LETTER)
        public void charge() {}
    }
}

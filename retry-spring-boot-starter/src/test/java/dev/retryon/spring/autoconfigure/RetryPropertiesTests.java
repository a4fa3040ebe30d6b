// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.StockService;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Where and how settings can be written, in a real application. */
class RetryPropertiesTests {

    private static EffectiveSettings reserve(ConfigurableApplicationContext context) {
        return context.getBean(NamedRetries.class).methods("StockService.reserve").stream()
                .findFirst()
                .map(MethodRetry::settings)
                .orElseThrow();
    }

    private static EffectiveSettings reserve(String yaml, String... arguments) {
        try (ConfigurableApplicationContext context =
                BootRun.of("", yaml, StockService.class).start(arguments)) {
            return reserve(context);
        }
    }

    @Test
    void relaxedNames() {
        EffectiveSettings settings = reserve("""
                retryon:
                  defaults:
                    maxAttempts: 5
                    max_delay: 20s
                    nonRetryableErrors: [auth.*, validation.payload]
                """);
        assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(5);
        assertThat(settings.get(Setting.MAX_DELAY)).hasSeconds(20);
        assertThat(settings.values().get(Setting.NON_RETRYABLE_ERRORS).value())
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.ITERABLE)
                .containsExactly("auth.*", "validation.payload");
    }

    @Test
    void emptyBlocks() {
        EffectiveSettings settings = reserve("""
                retryon:
                  defaults:
                    errors:
                      "[http.503]": ""
                  policies:
                    careful: ""
                  methods:
                    "[com.acme.StockService#reserve]": ""
                  budgets:
                    shared: ""
                """);
        assertThat(settings.rules()).containsOnlyKeys(ErrorKey.ofCode("http.503"));
    }

    @Test
    void spellingsOfOtherConfigurations() {
        EffectiveSettings settings = reserve("""
                retryon:
                  defaults:
                    delay: 0.5s
                    jitter: false
                  methods:
                    "[com.acme.StockService#reserve]":
                      max-delay: 1.5m
                      jitter: true
                      errors:
                        "[http.503]": { delay: .25s, jitter: false }
                """);
        assertThat(settings.get(Setting.DELAY)).hasMillis(500);
        assertThat(settings.get(Setting.MAX_DELAY)).hasSeconds(90);
        assertThat(settings.get(Setting.JITTER)).hasToString("50%");
        assertThat(settings.values().get(Setting.ERRORS).value()).hasToString("{http.503={delay=250ms, jitter=none}}");
    }

    @Test
    void environmentVariablesBeatFiles() {
        BootRun application = BootRun.of("", "retryon.defaults.max-attempts: 2\n", StockService.class)
                .withEnvironment(Map.of("RETRYON_DEFAULTS_MAXATTEMPTS", "6", "RETRYON_POLICIES_STOCK_DELAY", "3s"));
        try (ConfigurableApplicationContext context = application.start("--stock.policy=stock")) {
            assertThat(reserve(context).get(Setting.MAX_ATTEMPTS)).isEqualTo(6);
            assertThat(context.getBean(NamedRetries.class)
                            .methods("StockService.release")
                            .get(0)
                            .settings()
                            .get(Setting.DELAY))
                    .hasSeconds(3);
        }
    }

    @Test
    void keysOfMethodsInBrackets() {
        EffectiveSettings settings = reserve("""
                retryon:
                  methods:
                    "[com.acme.StockService]":
                      max-attempts: 5
                      delay: 5s
                    "[com.acme.StockService#reserve]":
                      delay: 6s
                      jitter: none
                    "[com.acme.StockService#reserve(String,int)]":
                      jitter: full
                """);
        assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(5);
        assertThat(settings.get(Setting.DELAY)).hasSeconds(6);
        assertThat(settings.place(Setting.JITTER).text())
                .isEqualTo("retryon.methods[com.acme.StockService#reserve(String,int)].jitter");
    }

    @Test
    void keysOfMethodsOutsideYaml() {
        assertThat(reserve("", "--retryon.methods[com.acme.StockService#reserve].max-attempts=8")
                        .get(Setting.MAX_ATTEMPTS))
                .isEqualTo(8);
    }

    @Test
    void placeholders() {
        EffectiveSettings settings = reserve("""
                stock.patience: 7s
                retryon:
                  defaults:
                    delay: ${stock.patience}
                    backoff: ${stock.backoff:linear}
                    max-attempts: ${stock.attempts:4}
                """);
        assertThat(settings.get(Setting.DELAY)).hasSeconds(7);
        assertThat(settings.get(Setting.BACKOFF)).isEqualTo("linear");
        assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(4);
    }

    @Test
    void profilesOverride(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("application.yml"), """
                retryon:
                  defaults:
                    max-attempts: 2
                    delay: 2s
                ---
                spring.config.activate.on-profile: night
                retryon.defaults.delay: 30s
                """);
        Files.writeString(folder.resolve("application-night.properties"), "retryon.defaults.jitter=none\n");
        EffectiveSettings settings =
                reserve("", "--spring.config.location=file:" + folder + "/", "--spring.profiles.active=night");
        assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(2);
        assertThat(settings.get(Setting.DELAY)).hasSeconds(30);
        assertThat(settings.source(Setting.JITTER)).isEqualTo("retryon.defaults");
    }

    @Test
    void numbersWithoutUnitAreMilliseconds() {
        assertThat(reserve("retryon.defaults.delay: 250\n").get(Setting.DELAY)).hasMillis(250);
    }

    @Test
    void emptyValuesSayNothing() {
        EffectiveSettings settings = reserve("retryon.defaults:\n  delay:\n  jitter: ''\n  max-attempts:\n");
        assertThat(settings.isSet(Setting.DELAY)).isFalse();
        assertThat(settings.isSet(Setting.JITTER)).isFalse();
        assertThat(settings.isSet(Setting.MAX_ATTEMPTS)).isFalse();
    }

    @Test
    void variablesOfTheEnvironmentThatAreNoneOfOursAreLeftAlone() {
        BootRun application = BootRun.of("", "", StockService.class)
                .withEnvironment(Map.of("RETRYON_DEFAULTS_COLOUR", "red", "RETRY_COUNT", "3"));
        try (ConfigurableApplicationContext context = application.start()) {
            assertThat(context.getEnvironment()
                            .getPropertySources()
                            .get(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME))
                    .isInstanceOf(SystemEnvironmentPropertySource.class);
        }
    }
}

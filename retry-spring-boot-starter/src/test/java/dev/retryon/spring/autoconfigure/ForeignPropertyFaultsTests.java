// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.StockService;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** What Spring Boot prints about settings that are written as another library calls them, and about environment variables. */
@ExtendWith(OutputCaptureExtension.class)
class ForeignPropertyFaultsTests {

    private final CapturedOutput output;

    ForeignPropertyFaultsTests(CapturedOutput output) {
        this.output = output;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            retryon.defaults.max-retries: 5                        | max-attempts: 6
            retryon.defaults.maxRetries: 5                         | max-attempts: 6
            retryon.defaults.max-retries: many                     | max-attempts: many
            retryon.policies.a.initial-interval: 500ms             | delay: 500ms
            retryon.policies.a.wait-duration: 500                  | delay: 500
            retryon.defaults.backoff.delay: 2s                     | delay: 2s
            retryon.defaults.backoff.multiplier: 3                 | multiplier: 3
            retryon.defaults.max-interval: 1m                      | max-delay: 1m
            retryon.defaults.randomized-wait-factor: 0.25          | jitter: 25%
            retryon.defaults.enable-exponential-backoff: true      | backoff: exponential
            retryon.defaults.retry-for: java.io.IOException        | exceptions: java.io.IOException
            retryon.defaults.retry-exceptions[0]: java.io.IOException | exceptions: java.io.IOException
            retryon.defaults.no-retry-for: java.io.IOException     | excludes: java.io.IOException
            retryon.defaults.fallback-method: nothing              | recover: nothing
            retryon.max-attempts: 5                                | retryon.defaults.max-attempts
            retryon.delay: 5s                                      | retryon.defaults.delay
            retryon.max-retries: 5                                 | retryon.defaults.max-attempts: 6
            retryon.policy.a.delay: 1s                             | retryon.policies.a.delay
            retryon.instances.a.delay: 1s                          | retryon.policies.a.delay
            retryon.default.delay: 1s                              | retryon.defaults.delay
            retryon.max-atempts: 5                                 | retryon.defaults.max-attempts
            """)
    void isAnsweredWithOurNameAndValue(String line, String meant) {
        String printed = BootRun.of("", line.strip() + "\n", StockService.class).failure(output);
        assertThat(printed)
                .contains("  - " + line.strip().split(":")[0].replace("[0]", ""))
                .contains("; did you mean '" + meant.strip() + "'?")
                .contains("Correct the property named above.");
    }

    @Test
    void aPropertyOfTheSystemIsReportedToo() {
        System.setProperty("retryon.defaults.max-atempts", "5");
        try {
            assertThat(BootRun.of("", "", StockService.class).failure(output))
                    .contains("  - retryon.defaults.max-atempts")
                    .contains("did you mean 'max-attempts'?");
        } finally {
            System.clearProperty("retryon.defaults.max-atempts");
        }
    }

    @Test
    void environmentVariablesAreReadAsBootReadsThem() {
        for (String variable : List.of("RETRYON_DEFAULTS_MAX_ATTEMPTS", "RETRYON_DEFAULTS_MAXATTEMPTS")) {
            try (ConfigurableApplicationContext context = BootRun.of("", "", StockService.class)
                    .withEnvironment(Map.of(variable, "7"))
                    .start()) {
                assertThat(context.getBean(RetryProperties.class).getDefaults().getMaxAttempts())
                        .as(variable)
                        .isEqualTo(7);
            }
        }
        assertThat(output).doesNotContain("is no property of RetryOn");
    }

    @Test
    void anEnvironmentVariableThatNamesNoPropertyIsWarnedOf() {
        try (ConfigurableApplicationContext context = BootRun.of("", "", StockService.class)
                .withEnvironment(Map.of(
                        "RETRYON_DEFAULTS_MAX_ATEMPTS",
                        "7",
                        "RETRYON_PORT_8080_TCP",
                        "tcp://10.0.0.1:8080",
                        "RETRYON_DEFAULTS_EXCEPTIONS_0",
                        "java.io.IOException",
                        "RETRYON_HTTP_IDEMPOTENCY_KEY_HEADER",
                        "X-Key"))
                .start()) {
            assertThat(context.isRunning()).isTrue();
        }
        assertThat(output.getAll().lines().filter(line -> line.contains("is no property of RetryOn")))
                .singleElement()
                .asString()
                .contains("Environment variable RETRYON_DEFAULTS_MAX_ATEMPTS is no property of RetryOn");
    }

    @Test
    void anEnvironmentVariableCanNotNameAMethod() {
        assertThat(BootRun.of("environment variable for a method", "", StockService.class)
                        .withEnvironment(Map.of("RETRYON_METHODS_COM_ACME_STOCKSERVICE_DELAY", "2s"))
                        .failure(output))
                .contains("  - RETRYON_METHODS_COM_ACME_STOCKSERVICE_DELAY")
                .contains("SPRING_APPLICATION_JSON='{\"retryon.methods[com.acme.Payments#charge].delay\":\"2s\"}'");
    }

    @Test
    void theJsonThatIsRecommendedForMethodsWorks() {
        try (ConfigurableApplicationContext context = BootRun.of("", "", StockService.class)
                .start("--spring.application.json={\"retryon.methods[com.acme.StockService#reserve].delay\":\"7s\"}")) {
            assertThat(context.getBean(RetryProperties.class)
                            .getMethods()
                            .get("com.acme.StockService#reserve")
                            .getDelay())
                    .hasSeconds(7);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.StockService;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.policy.Applications;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;

/** System properties, environment variables and JSON with properties of RetryOn. */
@ExtendWith(OutputCaptureExtension.class)
class PropertySourcesTests {

    private final CapturedOutput output;

    PropertySourcesTests(CapturedOutput output) {
        this.output = output;
    }

    @Test
    void aPropertyOfTheSystemIsReportedToo() {
        System.setProperty("retryon.defaults.max-atempts", "5");
        try {
            assertThat(BootRun.of("", "", StockService.class).failure(output))
                    .contains("  - retryon.defaults.max-atempts")
                    .contains("did you mean 'retryon.defaults.max-attempts'?");
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
                assertThat(context.getBean(RetryProperties.class).defaults().maxAttempts())
                        .as(variable)
                        .isEqualTo(7);
            }
        }
        assertThat(output).doesNotContain("is not a property of RetryOn");
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
        assertThat(output.getAll().lines().filter(line -> line.contains("is not a property of RetryOn")))
                .singleElement()
                .asString()
                .contains(
                        "RETRYON-W02: Environment variable RETRYON_DEFAULTS_MAX_ATEMPTS is not a property of RetryOn; did"
                                + " you mean 'retryon.defaults.max-attempts'?");
    }

    @Test
    void anEnvironmentVariableOfAnotherProgramIsNoMistypedProperty() {
        try (ConfigurableApplicationContext context = BootRun.of("", "", StockService.class)
                .withEnvironment(Map.of(
                        "RETRYON_HOME",
                        "/opt/retryon",
                        "RETRYON_NODE",
                        "3",
                        "RETRYON_CODE",
                        "x",
                        "RETRYON_EVENTS_ERRORS_TOTAL",
                        "5",
                        "RETRYON_DEFAULTS_ERRORS_QUOTA_TIMEOUT",
                        "2s"))
                .start()) {
            assertThat(context.isRunning()).isTrue();
        }
        assertThat(output).doesNotContain("is not a property of RetryOn");
    }

    @Test
    void anEnvironmentVariableCannotNameAnErrorWithADot() {
        assertThat(BootRun.of("environment variable for an error", "", StockService.class)
                        .withEnvironment(Map.of(
                                "RETRYON_DEFAULTS_ERRORS_HTTP_503_DELAY",
                                "2s",
                                "RETRYON_DEFAULTS_ERRORS_QUOTA_MAX_DELAY",
                                "2s"))
                        .failure(output))
                .contains("  - RETRYON_DEFAULTS_ERRORS_HTTP_503_DELAY")
                .contains("SPRING_APPLICATION_JSON='{\"retryon.defaults.errors[http.503].delay\":\"2s\"}'")
                .doesNotContain("QUOTA");
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
    void nestedJsonWithoutBracketsIsAFaultAsInFiles() {
        assertThat(BootRun.of("nested json without brackets", "", StockService.class)
                        .failure(
                                output,
                                "--spring.application.json={\"retryon\":{\"methods\":"
                                        + "{\"com.acme.StockService#reserve\":{\"maxAttempts\":7}}}}"))
                .contains("  - retryon.methods.com.acme.StockService#reserve")
                .contains("write \"[com.acme.StockService#reserve]\"");
    }

    @Test
    void aValueThatIsNoTextIsAFault() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("code", Map.of("retryon.defaults.budget", Thread.class))))
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .startsWith("retryon.defaults.budget: is 'class java.lang.Thread'")
                        .endsWith("must be a text"));
    }

    @Test
    void anUnknownPropertyWithoutAValueIsIgnored() {
        EnumerablePropertySource<Object> source = new EnumerablePropertySource<>("code", new Object()) {
            @Override
            public String[] getPropertyNames() {
                return new String[] {"retryon.absent", "retryon.defaults.delay", "retryon.sealed"};
            }

            @Override
            public @Nullable Object getProperty(String name) {
                if (name.equals("retryon.sealed")) {
                    throw new IllegalStateException("can't be read");
                }
                return null;
            }
        };
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(source))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anEmptyObjectInJsonIsABlockWithoutProperties() {
        try (ConfigurableApplicationContext context = BootRun.of("", "", StockService.class)
                .start("--spring.application.json={\"retryon\":{\"log\":{},\"defaults\":{\"errors\":{}},"
                        + "\"policies\":{\"calm\":{}},\"budgets\":{},\"limits\":{}}}")) {
            assertThat(context.getBean(RetryProperties.class).policies()).containsOnlyKeys("calm");
        }
    }

    @Test
    void theJsonThatIsRecommendedForMethodsWorks() {
        try (ConfigurableApplicationContext context = BootRun.of("", "", StockService.class)
                .start("--spring.application.json={\"retryon.methods[com.acme.StockService#reserve].delay\":\"7s\"}")) {
            assertThat(context.getBean(RetryProperties.class)
                            .methods()
                            .get("com.acme.StockService#reserve")
                            .delay())
                    .hasSeconds(7);
        }
    }
}

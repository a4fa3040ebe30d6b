// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryRegistry;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What is logged about odd settings of policies that no method has: those of the registry. */
@ExtendWith(OutputCaptureExtension.class)
class PolicyWarningsOfOthersTests {

    private static final String LISTED = "retryon.policies.quick.exceptions=java.io.IOException";

    private final CapturedOutput output;

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    PolicyWarningsOfOthersTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> ofRegistry(String... properties) {
        runner.withPropertyValues(properties).run(context -> {
            RetryRegistry registry = context.getBean(RetryRegistry.class);
            assertThat(registry.retry("quick")).isSameAs(registry.retry("quick"));
        });
        return logged();
    }

    private List<String> logged() {
        return Arrays.stream(output.getAll().split("\\R"))
                .filter(line -> line.matches(".*WARN .*\\bdev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: .*"))
                .map(line -> line.replaceFirst("^.*? dev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: ", ""))
                .toList();
    }

    @Test
    void attemptsOfARetryAboveTheLimit() {
        assertThat(ofRegistry(LISTED, "retryon.policies.quick.max-attempts=9", "retryon.limits.max-attempts=4"))
                .singleElement()
                .asString()
                .startsWith("Retry 'quick': maxAttempts 9 (retryon.policies.quick)")
                .contains("is lowered to 4");
    }

    @Test
    void aRetryWithoutExceptions() {
        assertThat(ofRegistry("retryon.policies.quick.max-attempts=5"))
                .singleElement()
                .asString()
                .startsWith("Retry 'quick': no layer lists an exception, ")
                .endsWith("; set retryon.policies.quick.exceptions, or set retryon.defaults.exceptions");
    }

    @Test
    void aTypeOfARetryThatTheDefaultsExclude() {
        assertThat(ofRegistry(LISTED, "retryon.defaults.excludes=java.io.IOException"))
                .singleElement()
                .asString()
                .startsWith("Retry 'quick': java.io.IOException is in 'exceptions' (retryon.policies.quick)")
                .contains("in 'excludes' (retryon.defaults)");
    }

    @Test
    void nothingWhereNothingIsOdd() {
        assertThat(ofRegistry(LISTED, "retryon.policies.quick.max-attempts=5")).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.client.RestClient;

/** What is logged about odd settings of the policies of HTTP clients. */
@ExtendWith(OutputCaptureExtension.class)
class ClientWarningsTests {

    private final CapturedOutput output;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class, RestClientAutoConfiguration.class));

    ClientWarningsTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> ofClients(String... properties) {
        runner.withPropertyValues("retryon.http.enabled=true")
                .withPropertyValues(properties)
                .run(context ->
                        assertThat(context.getBean(RestClient.Builder.class)).isNotNull());
        return logged();
    }

    private List<String> logged() {
        return Arrays.stream(output.getAll().split("\\R"))
                .filter(line -> line.matches(".*WARN .*\\bdev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: .*"))
                .map(line -> line.replaceFirst("^.*? dev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: ", ""))
                .toList();
    }

    @Test
    void attemptsOfClientsAboveTheLimit() {
        assertThat(ofClients(
                        "retryon.http.policy=quick",
                        "retryon.policies.quick.max-attempts=9",
                        "retryon.limits.max-attempts=4"))
                .singleElement()
                .asString()
                .startsWith("HTTP clients: maxAttempts 9 (retryon.policies.quick)")
                .contains("is lowered to 4");
    }

    @Test
    void nothingAboutClientsWithoutExceptionsWhichRetryFailedConnections() {
        assertThat(ofClients("retryon.http.policy=quick", "retryon.policies.quick.max-attempts=5"))
                .isEmpty();
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryRegistry;
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

/** What is logged about odd settings of policies that no method has: those of HTTP clients and of the registry. */
@ExtendWith(OutputCaptureExtension.class)
class PolicyWarningsOfOthersTests {

    private static final String LISTED = "retryon.policies.quick.exceptions=java.io.IOException";

    private final CapturedOutput output;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class, RestClientAutoConfiguration.class));

    PolicyWarningsOfOthersTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> ofClients(String... properties) {
        runner.withPropertyValues("retryon.http.enabled=true")
                .withPropertyValues(properties)
                .run(context ->
                        assertThat(context.getBean(RestClient.Builder.class)).isNotNull());
        return logged();
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
    void attemptsOfClientsAboveTheLimit() {
        assertThat(ofClients(
                        "retryon.http.policy=quick",
                        "retryon.policies.quick.max-attempts=9",
                        "retryon.limits.max-attempts=4"))
                .containsExactly("HTTP clients: maxAttempts 9 (retryon.policies.quick) is above"
                        + " retryon.limits.max-attempts and is lowered to 4 (logged once for all)");
    }

    @Test
    void zeroAttemptsOfClients() {
        assertThat(ofClients("retryon.defaults.max-attempts=0"))
                .containsExactly(
                        "HTTP clients: maxAttempts is 0 (retryon.defaults), which is taken as 1, no retry; use 1");
    }

    @Test
    void attemptsOfClientsThatAreNotRetryable() {
        assertThat(ofClients(
                        "retryon.http.policy=quick",
                        "retryon.policies.quick.max-attempts=5",
                        "retryon.policies.quick.retryable=false"))
                .containsExactly("retryon.policies.quick: retryable is false, so nothing that has these settings is"
                        + " retried, whatever its maxAttempts");
    }

    @Test
    void nothingAboutClientsWithoutExceptionsWhichRetryFailedConnections() {
        assertThat(ofClients("retryon.http.policy=quick", "retryon.policies.quick.max-attempts=5"))
                .isEmpty();
    }

    @Test
    void attemptsOfARetryAboveTheLimit() {
        assertThat(ofRegistry(LISTED, "retryon.policies.quick.max-attempts=9", "retryon.limits.max-attempts=4"))
                .containsExactly("Retry 'quick': maxAttempts 9 (retryon.policies.quick) is above"
                        + " retryon.limits.max-attempts and is lowered to 4 (logged once for all)");
    }

    @Test
    void aRetryWithoutExceptions() {
        assertThat(ofRegistry("retryon.policies.quick.max-attempts=5"))
                .containsExactly("Retry 'quick' is never retried, because no layer lists an exception: set"
                        + " retryon.policies.quick.exceptions, or set retryon.defaults.exceptions");
    }

    @Test
    void aTypeOfARetryThatTheDefaultsExclude() {
        assertThat(ofRegistry(LISTED, "retryon.defaults.excludes=java.io.IOException"))
                .containsExactly("Retry 'quick': java.io.IOException is in exceptions (retryon.policies.quick) and in"
                        + " excludes (retryon.defaults), so it is not retried; remove it from one of them");
    }

    @Test
    void nothingWhereNothingIsOdd() {
        assertThat(ofRegistry(LISTED, "retryon.policies.quick.max-attempts=5")).isEmpty();
    }
}

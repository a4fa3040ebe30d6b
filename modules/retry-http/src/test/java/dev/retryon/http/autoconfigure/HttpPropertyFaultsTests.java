// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.StockService;
import dev.retryon.spring.autoconfigure.BootRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What Spring Boot prints about faults in {@code retryon.http}, also where nothing retries requests yet. */
@ExtendWith(OutputCaptureExtension.class)
class HttpPropertyFaultsTests {

    private static final String METHODS = "COPY, DELETE, GET, HEAD, LOCK, MKCOL, MOVE, OPTIONS, PATCH, POST, PROPFIND,"
            + " PROPPATCH, PUT, QUERY, REPORT, SEARCH, TRACE, UNLOCK";

    private final CapturedOutput output;

    HttpPropertyFaultsTests(CapturedOutput output) {
        this.output = output;
    }

    private String failure(String title, String yaml, String... arguments) {
        return BootRun.of(title, yaml, StockService.class, HttpModule.class)
                        .failure(output, arguments)
                        .replace("class path resource [application.yml] - ", "@")
                + "\n";
    }

    @Test
    void aValueInsteadOfTheBlock() {
        assertThat(failure("a value instead of the block retryon.http", """
                        retryon:
                          http: true
                        """))
                .contains("  - retryon.http (@2:9)\n      is 'true', but must be a block of properties\n");
    }

    @Test
    void allOfThemWithThoseOfOtherPlaces() {
        assertThat(failure("faults in retryon.http", """
                        retryon:
                          defaults:
                            jitter: 120%
                          policies:
                            backend:
                              delay: 1s
                          http:
                            policy: bakend
                            statuses: 503,99,600
                            methods: GTE,get,POST,no method
                            idempotency-key-header: "Idempotency Key"
                            statusses: 500
                        """)).isEqualTo("""
                        Description:

                        The retry configuration has 7 faults:

                          - retryon.defaults.jitter (@3:13)
                              jitter is '120%%', but must be between 0%% and 100%%

                          - retryon.http.statusses (@12:16)
                              is not a property; did you mean 'retryon.http.statuses'?

                          - retryon.http.policy (@8:13)
                              policy is 'bakend', but no policy has this name; use one of backend, grpc-transient, http-transient, jdbc-transient, or configure retryon.policies.bakend

                          - retryon.http.statuses (@9:15)
                              contains '99', '600', but must contain only numbers from 100 to 599

                          - retryon.http.methods (@10:14)
                              contains 'GTE', but must contain only %1$s
                              contains 'no method', but must contain only %1$s

                          - retryon.http.idempotency-key-header (@11:29)
                              is 'Idempotency Key', but must be the name of a header such as Idempotency-Key, or empty for none

                        Action:

                        Correct the properties named above.
                        """.formatted(METHODS));
    }

    @Test
    void valuesThatDoNotBind() {
        assertThat(failure("retryon.http that does not bind", """
                        retryon:
                          http:
                            enabled: perhaps
                            statuses: 503,many
                        """)).isEqualTo("""
                        Description:

                        The retry configuration has 2 faults:

                          - retryon.http.enabled (@3:14)
                              is 'perhaps', but must be true or false

                          - retryon.http.statuses (@4:15)
                              is '503,many', but must be a whole number of at most 2147483647 (or several, separated by commas)

                        Action:

                        Correct the properties named above.
                        """);
    }

    @Test
    void aGeneratedKeyThatNoHeaderTakes() {
        assertThat(failure("retryon.http without a header for keys", """
                        retryon:
                          http:
                            idempotency-key: generate
                            idempotency-key-header: ""
                        """))
                .contains(
                        "retryon.http.idempotency-key (@3:22)",
                        "is 'generate', but retryon.http.idempotency-key-header is empty");
        assertThat(failure("an unknown origin of keys", """
                        retryon:
                          http:
                            idempotency-key: always
                        """))
                .contains("retryon.http.idempotency-key (@3:22)", "is 'always', but must be", "generate");
    }

    @Test
    void elementsThatDoNotBind() {
        assertThat(failure("elements of retryon.http that do not bind", """
                        retryon:
                          http:
                            statuses:
                              - 503
                              - many
                              - 429
                        """)).isEqualTo("""
                        Description:

                        The retry configuration has a fault:

                          - retryon.http.statuses[1] (@5:9)
                              is 'many', but must be a whole number of at most 2147483647

                        Action:

                        Correct the property named above.
                        """);
    }

    @Test
    void unreadableStatusesAreIgnoredWithAWarningIfChecksOnlyWarn() {
        try (var context = BootRun.of("unreadable status", """
                        retryon:
                          checks: warn
                          http:
                            statuses:
                              - 503
                              - many
                        """, StockService.class, HttpModule.class)
                .start()) {
            assertThat(context.getBean(RetryHttpProperties.class).statuses())
                    .containsExactly(408, 429, 500, 502, 503, 504);
        }
        assertThat(output).contains("retryon.http.statuses[1]", "is 'many', but must be a whole number");
    }

    @Test
    void policyWithoutAnyPolicies() {
        assertThat(failure("policy of retryon.http without policies", """
                        retryon:
                          http:
                            policy: backend
                        """, "--spring.main.lazy-initialization=true"))
                .isEqualTo("""
                        Description:

                        The retry configuration has a fault:

                          - retryon.http.policy (@3:13)
                              policy is 'backend', but no policy has this name; use one of grpc-transient, http-transient, jdbc-transient, or configure retryon.policies.backend

                        Action:

                        Correct the property named above.
                        """);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.StockService;
import dev.retryon.http.HttpRetry;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.BootRun;
import dev.retryon.spring.internal.policy.NamedRetries;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** What Spring Boot prints about policies and defaults that HTTP clients have, alone or with methods. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class ClientSettingsFaultsTests {

    private final CapturedOutput output;

    ClientSettingsFaultsTests(CapturedOutput output) {
        this.output = output;
    }

    /** The lines between the first sentence and the action. */
    private String faults(String title, String yaml, Class<?>... beans) {
        String printed = BootRun.of(title, yaml, beans).failure(output);
        assertThat(printed).endsWith("\n\nAction:\n\nCorrect the " + plural(printed) + " named above.");
        return printed.substring(0, printed.indexOf("\n\nAction:"))
                        .replaceFirst("^Description:\n\n", "")
                        .replace("class path resource [application.yml] - ", "@")
                + "\n";
    }

    private static String plural(String printed) {
        return printed.contains("has a fault:") ? "property" : "properties";
    }

    @Test
    void policyOfRequestsAlone() {
        assertThat(faults("policy that only requests have", """
                        retryon:
                          http:
                            policy: backend
                          policies:
                            backend:
                              only-if: "#order.total > 5"
                              backoff: fibonaci
                              budget: shard
                              delay: 5s
                              max-delay: 2s
                        """, StockService.class, HttpModule.class))
                .isEqualTo("""
                        The retry configuration has 4 faults:

                          - retryon.policies.backend.max-delay (@10:18)
                              maxDelay is '2s' (retryon.policies.backend.max-delay), but must not be below delay, which is '5s' (retryon.policies.backend.delay)
                              retryon.policies.backend.delay (@9:14)

                          - retryon.policies.backend.backoff (@7:16)
                              backoff is 'fibonaci', but must be one of decorrelated, exponential, fibonacci, fixed, linear, none, polynomial

                          - retryon.policies.backend.budget (@8:15)
                              budget is 'shard', but must be 'default', because no budget is configured under retryon.budgets

                          - retryon.policies.backend.only-if (@6:16)
                              onlyIf is '#order.total > 5', but names the unknown variable #order; use one of #args, #attempt, #elapsed, #error, #maxAttempts, #root, #target, #this and the parameters of the method
                        """);
    }

    @Test
    void policyOfRequestsAndOfMethods() {
        assertThat(faults("policy that requests and methods have", """
                        stock:
                          policy: shared
                        retryon:
                          http:
                            policy: shared
                          policies:
                            shared:
                              only-if: "#eror != null"
                        """, StockService.class, HttpModule.class))
                .isEqualTo("""
                        The retry configuration has a fault:

                          - retryon.policies.shared.only-if (@8:16)
                              onlyIf is '#eror != null', but names the unknown variable #eror; use one of #args, #attempt, #elapsed, #error, #maxAttempts, #root, #target, #this and the parameters of the method (for com.acme.StockService#release(String))
                        """);
    }

    @Test
    void defaultsThatAreWrongForRequestsAreReportedByTheFirstClient() {
        BootRun application =
                BootRun.of("defaults that are wrong for requests", """
                retryon:
                  defaults:
                    only-if: "#p0 != null"
                """, StockService.class, HttpModule.class);
        try (ConfigurableApplicationContext context = application.start()) {
            assertThat(catchMessage(() -> context.getBean(HttpRetry.class)))
                    .isEqualTo("Invalid retry configuration:\n- retryon.defaults.only-if: onlyIf is '#p0 != null', but"
                            + " names the unknown variable #p0; use one of #args, #attempt, #elapsed, #error,"
                            + " #maxAttempts, #root, #target, #this and the parameters of the method");
        }
    }

    @Test
    void recoveryInTheDefaultsIsForMethods() {
        BootRun application =
                BootRun.of("recovery in the defaults beside HTTP", """
                retryon:
                  defaults:
                    recover: cancelled
                    before-retry: cancelled
                    retry-if: "#result == null"
                  http:
                    policy: backend
                  policies:
                    backend:
                      max-attempts: 4
                """, Cancellable.class, HttpModule.class);
        try (ConfigurableApplicationContext context = application.start()) {
            HttpRetry requests = context.getBean(HttpRetry.class);

            assertThat(requests.policy().maxAttempts()).isEqualTo(4);
            assertThat(context.getBean(NamedRetries.class).client("http").shownSettings())
                    .doesNotContainKeys("recover", "beforeRetry", "retryIf");
        }
    }

    private static String catchMessage(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException ex) {
            Throwable cause = ex;
            while (!(cause instanceof RetryConfigurationException) && cause.getCause() != null) {
                cause = cause.getCause();
            }
            return String.valueOf(cause.getMessage());
        }
        throw new AssertionError("nothing was thrown");
    }

    static class Cancellable {

        @RetryOn(IOException.class)
        public String book(String order) throws IOException {
            return order;
        }

        String cancelled(IOException error) {
            return "cancelled";
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.Refunds;
import com.acme.StockService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** What Spring Boot prints about properties that several methods share, or none: each fault once. */
@ExtendWith(OutputCaptureExtension.class)
class SharedSettingsFaultsTests {

    private final CapturedOutput output;

    SharedSettingsFaultsTests(CapturedOutput output) {
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
    void defaults() {
        assertThat(faults("faults of the defaults", """
                        retryon:
                          defaults:
                            only-if: "#attempt <"
                            unless: "@nobody.knows()"
                            delay: 5s
                            max-delay: 2s
                        """, StockService.class)).isEqualTo("""
                        The retry configuration has 3 faults:

                          - retryon.defaults.max-delay (@6:16)
                              maxDelay is '2s' (retryon.defaults.max-delay), but must not be below delay, which is '5s' (retryon.defaults.delay)
                              retryon.defaults.delay (@5:12)

                          - retryon.defaults.only-if (@3:14)
                              onlyIf is '#attempt <', but does not parse: EL1042E: Problem parsing right operand (at character 10)

                          - retryon.defaults.unless (@4:13)
                              unless is '@nobody.knows()', but names the bean 'nobody', which does not exist
                        """);
    }

    @Test
    void defaultsThatAreWrongForEachMethod() {
        assertThat(faults("gate and recovery and backoff in retryon.defaults", """
                        retryon:
                          defaults:
                            only-if: "#eror != null"
                            recover: nothing
                            backoff: fibonaci
                        """, StockService.class, Refunds.class))
                .isEqualTo("""
                        The retry configuration has 3 faults:

                          - retryon.defaults.backoff (@5:14)
                              backoff is 'fibonaci', but must be one of decorrelated, exponential, fibonacci, fixed, linear, none, polynomial or a method of the bean that takes (int retry, Duration base) or (int retry, Duration base, Duration previous) and returns a Duration (for com.acme.Refunds#book(int), com.acme.Refunds#refund(int), com.acme.StockService#release(String) and 1 more)

                          - retryon.defaults.only-if (@3:14)
                              onlyIf is '#eror != null', but names the unknown variable #eror; use one of #args, #attempt, #elapsed, #error, #maxAttempts, #root, #target, #this and the parameters of the method (for com.acme.Refunds#book(int), com.acme.Refunds#refund(int), com.acme.StockService#release(String) and 1 more)

                          - retryon.defaults.recover (@4:14)
                              recover is 'nothing', but method 'nothing' does not exist in the bean (for com.acme.Refunds#book(int), com.acme.Refunds#refund(int), com.acme.StockService#release(String) and 1 more)
                        """);
    }

    @Test
    void defaultsThatAreWrongForSomeMethods() {
        assertThat(faults("gate of the defaults that fits some methods", """
                        retryon:
                          defaults:
                            only-if: "#count > 1"
                        """, StockService.class))
                .isEqualTo("""
                        The retry configuration has a fault:

                          - retryon.defaults.only-if (@3:14)
                              onlyIf is '#count > 1', but names the unknown variable #count; use one of #args, #attempt, #elapsed, #error, #maxAttempts, #root, #target, #this and the parameters of the method (for com.acme.StockService#release(String))
                        """);
    }

    @Test
    void misfitsOfOneRecoveryAreDifferentFaults() {
        assertThat(faults("recovery of the defaults that fits no method", """
                        retryon:
                          defaults:
                            recover: undo
                        """, Refunds.class))
                .isEqualTo("""
                        The retry configuration has 2 faults:

                          - retryon.defaults.recover (@3:14)
                              recover is 'undo', but undo(String, IOException) takes String where the argument is int. A recovery method for book(int) takes its arguments (all or none), then optionally an error type, then optionally a RetryContext, and returns void (for com.acme.Refunds#book(int))
                              recover is 'undo', but undo(String, IOException) returns void, not String. A recovery method for refund(int) takes its arguments (all or none), then optionally an error type, then optionally a RetryContext, and returns String (for com.acme.Refunds#refund(int))
                        """);
    }

    @Test
    void policyOfSeveralMethods() {
        assertThat(faults("policy that is wrong for each of its methods", """
                        stock:
                          policy: shared
                        retryon:
                          policies:
                            shared:
                              unless: "#atempt > 1"
                              recover: nothing
                        """, StockService.class, Refunds.class))
                .isEqualTo("""
                        The retry configuration has 2 faults:

                          - retryon.policies.shared.unless (@6:15)
                              unless is '#atempt > 1', but names the unknown variable #atempt; use one of #args, #attempt, #elapsed, #error, #maxAttempts, #root, #target, #this and the parameters of the method (for com.acme.Refunds#book(int), com.acme.StockService#release(String))

                          - retryon.policies.shared.recover (@7:16)
                              recover is 'nothing', but method 'nothing' does not exist in the bean (for com.acme.Refunds#book(int), com.acme.StockService#release(String))
                        """);
    }

    /** Only what needs no application is checked: other applications might share the file. */
    @Test
    void policiesThatNoMethodHas() {
        assertThat(faults("unused policies", """
                        retryon:
                          policies:
                            stock:
                              only-if: "#attempt <"
                              budget: shard
                              delay: 5s
                              max-delay: 2s
                              backoff: fibonaci
                              recover: "@refunds.undo"
                            mail:
                              only-if: "#order.total > @nobody.limit()"
                              recover: nobody#undo
                            parcels:
                              only-if: "#order.total > 5"
                              recover: refunds#undoo
                            letters:
                              recover: undo
                        """, StockService.class, Refunds.class))
                .isEqualTo("""
                        The retry configuration has 3 faults:

                          - retryon.policies.stock.only-if (@4:16)
                              onlyIf is '#attempt <', but does not parse: EL1042E: Problem parsing right operand (at character 10)

                          - retryon.policies.stock.recover (@9:16)
                              recover is '@refunds.undo', but a method of another bean must be written as 'refunds#undo'

                          - retryon.policies.stock.max-delay (@7:18)
                              maxDelay is '2s' (retryon.policies.stock.max-delay), but must not be below delay, which is '5s' (retryon.policies.stock.delay)
                              retryon.policies.stock.delay (@6:14)
                        """);
    }

    @Test
    void backoffOfAnUnusedPolicyThatMayBeAMethodOfAnotherApplication() {
        BootRun application = BootRun.of("unused policy with a backoff that nobody knows", """
                retryon:
                  policies:
                    mail:
                      backoff: paydays
                """, StockService.class);
        try (ConfigurableApplicationContext context = application.start()) {
            assertThat(context.isRunning()).isTrue();
        }
        assertThat(output).doesNotContain("paydays");
    }

    @Test
    void policyThatDoesNotBind() {
        assertThat(faults("policy that does not bind", """
                        stock:
                          policy: stock
                        retryon:
                          policies:
                            stock:
                              max-attempts: three
                        """, StockService.class)).isEqualTo("""
                        The retry configuration has a fault:

                          - retryon.policies.stock.max-attempts (@6:21)
                              is 'three', but must be a whole number of at most 2147483647
                        """);
    }
}

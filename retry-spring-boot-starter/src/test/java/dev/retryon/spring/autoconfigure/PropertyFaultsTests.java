// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.Faulty;
import com.acme.PaymentService;
import com.acme.StockService;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.RetryWarning;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What Spring Boot prints about faults in properties, with the line of the file. */
@ExtendWith(OutputCaptureExtension.class)
class PropertyFaultsTests {

    private final CapturedOutput output;

    PropertyFaultsTests(CapturedOutput output) {
        this.output = output;
    }

    /** The lines between the first sentence and the action. */
    private String faults(String title, String yaml, Class<?>... beans) {
        String printed = BootRun.of(title, yaml, beans).failure(output);
        assertThat(printed)
                .startsWith("Description:\n\nThe retry configuration has ")
                .contains("\n\nAction:\n\nCorrect the ");
        return printed.substring(printed.indexOf("\n\n  - ") + 2, printed.indexOf("\n\nAction:"))
                        .replace("class path resource [application.yml] - ", "@")
                + "\n";
    }

    @Test
    void codesOfWarningsThatDoNotExist() {
        assertThat(faults("unknown codes of warnings", """
                        retryon:
                          warnings:
                            ignore: W07, retryon-w10, w7, W99, timeouts
                        """, StockService.class)).isEqualTo("""
                          - retryon.warnings.ignore (@3:13)
                              contains 'w7', which is not a warning code; use a code such as W07
                              contains 'W99', which is not a warning code; use a code such as W07
                              contains 'timeouts', which is not a warning code; use a code such as W07
                        """);
    }

    @Test
    void aFractionInsteadOfAWholeNumber() {
        assertThat(faults("a fraction", """
                        retryon:
                          defaults:
                            max-attempts: 2.7
                          limits:
                            max-attempts: 5.0
                        """, StockService.class)).isEqualTo("""
                          - retryon.defaults.max-attempts (@3:19)
                              is '2.7', but must be a whole number of at most 2147483647
                        """);
    }

    @Test
    void codesOfAllWarnings() {
        String codes = Stream.of(RetryWarning.values()).map(RetryWarning::code).collect(Collectors.joining(", "));
        Applications.retrying()
                .withPropertyValues("retryon.warnings.ignore=" + codes)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aValueInThePlaceOfABlock() {
        assertThat(faults("value in the place of a block", """
                        retryon:
                          metrics: true
                          policies:
                            stock: fast
                            other:
                        """, StockService.class))
                .isEqualTo("""
                          - retryon.policies.stock (@4:12)
                              is 'fast', but must be a block of properties

                          - retryon.metrics (@2:12)
                              is 'true', but must be a block of properties
                        """);
    }

    @Test
    void aValueInThePlaceOfABlockOfAnotherSource() {
        assertThat(faults("value in the place of a block of another source", """
                        retryon:
                          defaults:
                            delay: 3s
                          log:
                            interval: 3s
                          policies:
                            stock:
                              max-attempts: 4
                        ---
                        retryon:
                          defaults: none
                          log: debug
                          policies:
                            stock: fast
                        """, StockService.class))
                .contains("""
                          - retryon.defaults (@11:13)
                              is 'none', but must be a block of properties
                        """, """
                          - retryon.policies.stock (@14:12)
                              is 'fast', but must be a block of properties
                        """, """
                          - retryon.log (@12:8)
                              is 'debug', but must be a block of properties
                        """);
    }

    @Test
    void aListWithAGap() {
        assertThat(faults("list with a gap", """
                        retryon.defaults.exceptions[0]: java.io.IOException
                        retryon.defaults.exceptions[2]: java.lang.IllegalStateException
                        """, StockService.class))
                .contains(
                        "  - retryon.defaults.exceptions",
                        "has indexes that are not consecutive; number the items from [0]")
                .doesNotContain("is ''");
    }

    @Test
    void valuesThatDoNotBind() {
        assertThat(faults("properties that do not bind", """
                        retryon:
                          order: first
                          defaults:
                            delay: 5 parsecs
                            max-attempts: three
                            retryable: perhaps
                            multiplier: big
                            exceptions: java.io.IOException, com.acme.Nope
                            excludes:
                              - com.acme.Missing
                              - java.lang.String
                              - com.acme.AlsoMissing
                          limits:
                            max-attempts: 99999999999
                          metrics:
                            enabled: some
                        """, StockService.class))
                .isEqualTo("""
                          - retryon.order (@2:10)
                              is 'first', but must be a whole number of at most 2147483647

                          - retryon.defaults.max-attempts (@5:19)
                              is 'three', but must be a whole number of at most 2147483647

                          - retryon.defaults.retryable (@6:16)
                              is 'perhaps', but must be true or false

                          - retryon.defaults.delay (@4:12)
                              is '5 parsecs', but must be a duration such as 500ms, 2s, 5m or PT0.5S

                          - retryon.defaults.multiplier (@7:17)
                              is 'big', but must be a number

                          - retryon.limits.max-attempts (@14:19)
                              is '99999999999', but must be a whole number of at most 2147483647

                          - retryon.metrics.enabled (@16:14)
                              is 'some', but must be true or false

                          - retryon.defaults.exceptions (@8:17)
                              contains 'com.acme.Nope', but must list full names of exception classes on the class path, separated by commas

                          - retryon.defaults.excludes (@10:9)
                              contains 'java.lang.String', which is not an exception class
                        """);
    }

    @Test
    void valuesOutOfBounds() {
        assertThat(faults("properties out of bounds", """
                        retryon:
                          defaults:
                            delay: -1s
                            timeout: -2m
                            max-attempts: -1
                            multiplier: 0.5
                            jitter: 120%
                            backoff: fibonaci
                          limits:
                            max-attempts: 0
                          events:
                            capacity: -5
                        """, StockService.class)).isEqualTo("""
                          - retryon.limits.max-attempts (@10:19)
                              is '0', but must be at least 1

                          - retryon.events.capacity (@12:15)
                              is '-5', but must be between 1 and 100000

                          - retryon.defaults.max-attempts (@5:19)
                              maxAttempts is '-1', but must be a whole number of at least 1 (1 means that nothing is retried)

                          - retryon.defaults.delay (@3:12)
                              delay is '-1s', but must be 0 or more

                          - retryon.defaults.multiplier (@6:17)
                              multiplier is '0.5', but must be finite and at least 1.0

                          - retryon.defaults.timeout (@4:14)
                              timeout is '-2m', but must be 0 or more

                          - retryon.defaults.jitter (@7:13)
                              jitter is '120%', but must be between 0% and 100%

                          - retryon.defaults.backoff (@8:14)
                              backoff is 'fibonaci', but must be one of decorrelated, exponential, fibonacci, fixed, linear, none, polynomial or a method of the bean that takes (int retry, Duration base) or (int retry, Duration base, Duration previous) and returns a Duration (for com.acme.StockService#release(String), com.acme.StockService#reserve(String,int))
                        """);
    }

    @Test
    void propertiesThatDoNotExist() {
        assertThat(faults("unknown properties", """
                        retryon:
                          foo: bar
                          default:
                            delay: 1s
                          max-attempts: 5
                          policy:
                            stock:
                              delay: 1s
                          exception: java.io.IOException
                          dead-letter:
                            store: jdbc
                          defaults:
                            max-attemps: 5
                            delay:
                              min: 1s
                          policies:
                            max-attempts: 5
                            stock:
                              dely: 1s
                          limits:
                            max: 5
                          pointcuts:
                            stock:
                              expresion: execution(* *(..))
                              policy: stock
                        """, StockService.class)).isEqualTo("""
                          - retryon.policies.max-attempts (@17:19)
                              is '5', but must be a block of properties

                          - retryon.dead-letter (@11:12)
                              needs another module; add the dependency dev.retryon:retry-durable

                          - retryon.default.delay (@4:12)
                              is not a property; did you mean 'retryon.defaults.delay'?

                          - retryon.defaults.max-attemps (@13:18)
                              is not a property; did you mean 'retryon.defaults.max-attempts'?

                          - retryon.exception (@9:14)
                              is not a property; did you mean 'retryon.defaults.exceptions'?

                          - retryon.max-attempts (@5:17)
                              is not a property; did you mean 'retryon.defaults.max-attempts'?

                          - retryon.pointcuts.stock.expresion (@24:18)
                              is not a property; did you mean 'retryon.pointcuts.stock.expression'?

                          - retryon.policies.stock.dely (@19:13)
                              is not a property; did you mean 'retryon.policies.stock.delay'?

                          - retryon.pointcuts.stock.expression
                              is not set, but must be an AspectJ pointcut expression
                        """);
    }

    @Test
    void keysOfMethods() {
        assertThat(faults("keys of retryon.methods", """
                        retryon:
                          methods:
                            "[com.acme.StockService#resrve]":
                              delay: 1s
                        """, StockService.class)).isEqualTo("""
                          - retryon.methods[com.acme.StockService#resrve] (@4:14)
                              matches no retried method; /actuator/retryon lists the retried methods of each class
                        """);
    }

    @Test
    void keyWithoutPackage() {
        assertThat(faults("key without a package", """
                        retryon:
                          methods:
                            StockService#reserve:
                              delay: 1s
                        """, StockService.class)).isEqualTo("""
                          - retryon.methods[StockServicereserve]
                              is not the full name of a class or method in brackets; write it as "[com.acme.Payments#charge]"
                        """);
    }

    @Test
    void keyOfMethodWithoutBrackets() {
        assertThat(faults("key of retryon.methods without brackets", """
                        retryon:
                          methods:
                            com.acme.StockService#reserve:
                              delay: 1s
                              exceptions:
                                - java.io.IOException
                                - java.lang.IllegalStateException
                        """, StockService.class))
                .isEqualTo("""
                          - retryon.methods.com.acme.StockService#reserve (@4:14)
                              is not the name of a class or method, because it is not in brackets; write "[com.acme.StockService#reserve]"
                        """);
    }

    @Test
    void placeholdersThatNothingResolves() {
        assertThat(faults("unresolved placeholder in a property", """
                        retryon:
                          defaults:
                            delay: ${stock.delay}
                            backoff: ${stock.backoff}
                        """, StockService.class))
                .isEqualTo("""
                          - retryon.defaults.delay (@3:12)
                              is '${stock.delay}', but no property resolves its placeholder

                          - retryon.defaults.backoff (@4:14)
                              backoff is '${stock.backoff}', but no property resolves its placeholder
                        """);
    }

    @Test
    void pointcuts() {
        assertThat(faults("bad pointcuts", """
                        retryon:
                          policies:
                            stock:
                              exceptions: java.io.IOException
                          pointcuts:
                            bad:
                              expression: execution(* com.acme.StockService..reserve(..
                              policy: stock
                            nopolicy:
                              expression: execution(* com.acme.StockService.inStock(..))
                            empty:
                              policy: stock
                        """, StockService.class)).isEqualTo("""
                          - retryon.pointcuts.bad.expression (@7:19)
                              is 'execution(* com.acme.StockService..reserve(..', but must be an AspectJ pointcut expression: Pointcut is not well-formed: expecting ')' at character position 0

                          - retryon.pointcuts.empty.expression
                              is not set, but must be an AspectJ pointcut expression

                          - retryon.pointcuts.nopolicy (@10:19)
                              policy is 'nopolicy', but no policy has this name; use one of grpc-transient, http-transient, jdbc-transient, stock, or configure retryon.policies.nopolicy
                        """);
    }

    @Test
    void policyNamedByAPlaceholder() {
        assertThat(faults("unknown policy", """
                        stock:
                          policy: stok
                        retryon:
                          policies:
                            stock:
                              delay: 1s
                            mail:
                              delay: 1s
                        """, StockService.class)).isEqualTo("""
                          - @RetryOn on com.acme.StockService.release
                              policy is 'stok', but no policy has this name; use one of grpc-transient, http-transient, jdbc-transient, mail, stock, or configure retryon.policies.stok
                        """);
    }

    @Test
    void maxDelayBelowDelay() {
        assertThat(faults("maxDelay below delay in one layer", "", Faulty.MaxDelayBelowDelay.class))
                .isEqualTo("""
                  - com.acme.Faulty$MaxDelayBelowDelay.charge
                      maxDelay is '2s' (@RetryOn on com.acme.Faulty$MaxDelayBelowDelay.charge), but must not be below delay, which is '5s' (@RetryOn on com.acme.Faulty$MaxDelayBelowDelay.charge)
                """);
    }

    @Test
    void maxDelayOfOneLayerBelowDelayOfAnother() {
        assertThat(faults("maxDelay below delay across layers", """
                        retryon:
                          methods:
                            "[com.acme.Faulty$LongDelay#charge]":
                              max-delay: 1s
                        """, Faulty.LongDelay.class))
                .isEqualTo("""
                          - com.acme.Faulty$LongDelay.charge
                              maxDelay is '1s' (retryon.methods[com.acme.Faulty$LongDelay#charge].max-delay), but must not be below delay, which is '5s' (@RetryOn on com.acme.Faulty$LongDelay.charge)
                              retryon.methods[com.acme.Faulty$LongDelay#charge].max-delay (@4:18)
                        """);
    }

    @Test
    void budgets() {
        assertThat(faults("budgets", """
                        retryon:
                          defaults:
                            budget: shard
                          budgets:
                            shared:
                              ratio: -1
                            stock:
                              window: 0s
                        """, StockService.class)).isEqualTo("""
                          - retryon.budgets.shared.ratio (@6:14)
                              ratio is '-1.0', but must be between 0 and 1000

                          - retryon.budgets.stock.window (@8:15)
                              window is '0s', but must be between 1s and 1h

                          - retryon.defaults.budget (@3:13)
                              budget is 'shard', but must be 'default' or one of the budgets under retryon.budgets: shared, stock
                        """);
    }

    @Test
    void enabledThatIsNoBoolean() {
        assertThat(BootRun.of("retryon.enabled is no boolean", "retryon.enabled: perhaps\n", StockService.class)
                        .failure(output))
                .startsWith("""
                        Description:

                        Invalid value 'perhaps' for configuration property 'retryon.enabled' (originating from 'class path resource [application.yml] - 1:18'). Validation failed for the following reason:

                        It must be true or false.
                        """);
    }

    @Test
    void allFaultsOfAnApplicationAtOnce() {
        assertThat(BootRun.of("several at once", """
                        retryon:
                          defaults:
                            max-attemps: 5
                            jitter: 120%
                          methods:
                            "[com.acme.StockService#resrve]":
                              max-attempts: 5
                        """, PaymentService.class, StockService.class)
                        .failure(output))
                .isEqualTo("""
                        Description:

                        The retry configuration has 5 faults:

                          - retryon.defaults.max-attemps (class path resource [application.yml] - 3:18)
                              is not a property; did you mean 'retryon.defaults.max-attempts'?

                          - retryon.defaults.jitter (class path resource [application.yml] - 4:13)
                              jitter is '120%', but must be between 0% and 100%

                          - @RetryOn on com.acme.PaymentService.charge
                              delay is '5 parsecs', but must be a duration such as 500ms, 2s, 5m or PT0.5S
                              recover is 'fallback', but fallback(int, IOException) takes int where the argument is String. A recovery method for charge(String) takes its arguments (all or none), then optionally an error type, then optionally a RetryContext, and returns String

                          - retryon.methods[com.acme.StockService#resrve] (class path resource [application.yml] - 7:21)
                              matches no retried method; /actuator/retryon lists the retried methods of each class

                        Action:

                        Correct the annotations and properties named above.""");
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.acme.FaultyCode;
import com.acme.scanned.ScannedApplication;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Spring Boot prints about gates, recovery methods and classes that can't do what an annotation asks for. */
@ExtendWith(OutputCaptureExtension.class)
class CodeFaultsTests {

    private final CapturedOutput output;

    CodeFaultsTests(CapturedOutput output) {
        this.output = output;
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("faults")
    void isPrinted(Class<?> bean, String problem) {
        assertThat(BootRun.of("code " + bean.getSimpleName(), "", bean).failure(output))
                .contains("The retry configuration has a fault:\n\n  - @RetryOn on com.acme.FaultyCode$"
                        + bean.getSimpleName() + ".charge\n      " + problem + "\n\nAction");
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                arguments(
                        FaultyCode.ResultOfVoid.class,
                        "retryIf is '#result == null', but the method returns no value to check; use"
                                + " onlyIf to check errors"),
                arguments(
                        FaultyCode.ResultOfVoidLater.class,
                        "retryIf is '#result == null', but the method returns no value to check; use"
                                + " onlyIf to check errors"),
                arguments(
                        FaultyCode.ResultOfEmptyMono.class,
                        "retryIf is '#result == null', but the method returns no value to check; use"
                                + " onlyIf to check errors"),
                arguments(
                        FaultyCode.RecoveryWithSign.class,
                        "recover is '#fallback', but a method of the same bean must be written as 'fallback', and a"
                                + " method of another bean as 'bean#method'"),
                arguments(
                        FaultyCode.RecoveryOfOtherType.class,
                        "recover is 'fallback', but fallback() returns"
                                + " java.util.concurrent.CompletableFuture<java.util.List<java.lang.Integer>>, not"
                                + " java.util.concurrent.CompletableFuture<java.util.List<java.lang.String>>. A recovery"
                                + " method for charge() takes its arguments (all or none), then optionally an error type,"
                                + " then optionally a RetryContext, and returns CompletableFuture"),
                arguments(
                        FaultyCode.RecoveryWithDot.class,
                        "recover is 'fallbacks.charge', but a method of another bean must be written as 'fallbacks#charge'"),
                arguments(
                        FaultyCode.RecoveryWithAt.class,
                        "recover is '@fallbacks#charge', but a method of another bean must be written as 'fallbacks#charge'"),
                arguments(
                        FaultyCode.RecoveryWithAtAndDot.class,
                        "recover is '@fallbacks.charge', but a method of another bean must be written as 'fallbacks#charge'"),
                arguments(
                        FaultyCode.TooManyAttempts.class,
                        "maxAttempts is '2147483648', but must be at most 2147483647"));
    }

    @Test
    void gateInBraces() {
        assertThat(BootRun.of(
                                "gate in braces",
                                "retryon.defaults.only-if: \"#{#attempt < 3}\"\n",
                                FaultyCode.Healthy.class)
                        .failure(output))
                .contains("  - retryon.defaults.only-if (class path resource [application.yml] - 1:27)")
                .contains("but must be written without #{…}: '#attempt < 3'")
                .contains("Correct the property named above.");
        assertThat(BootRun.of("gate of an annotation in braces", "", FaultyCode.GateInBraces.class)
                        .failure(output))
                .contains("GateInBraces.charge")
                .contains("must be written without #{…}: '#attempt < 3'");
    }

    @Test
    void finalClassesWithAllOtherFaults() {
        assertThat(BootRun.of(
                                "final classes",
                                "retryon.defaults.jitter: 120%\n",
                                FaultyCode.Final.class,
                                FaultyCode.OfRecord.class,
                                FaultyCode.FinalImplementation.class,
                                FaultyCode.Sealed.class,
                                FaultyCode.RecoveryWithDot.class)
                        .failure(output))
                .contains("The retry configuration has 6 faults:")
                .contains(
                        "  - com.acme.FaultyCode$Sealed\n      the class is sealed, so no proxy can retry its methods;"
                                + " remove 'sealed', or set spring.aop.proxy-target-class=false and")
                .contains("  - com.acme.FaultyCode$Final\n      the class is final, so no proxy can retry its methods;"
                        + " remove 'final', or set spring.aop.proxy-target-class=false and use the bean through an"
                        + " interface that declares the methods\n")
                .contains("  - com.acme.FaultyCode$OfRecord\n      the class is a record, which is final, so no proxy")
                .contains("  - com.acme.FaultyCode$FinalImplementation\n      the class is final, so no proxy")
                .contains("recover is 'fallbacks.charge'")
                .contains("jitter is '120%'");
    }

    @Test
    void aFinalImplementationIsRetriedBehindAnInterface() {
        try (var context = BootRun.of(
                        "", "spring.aop.proxy-target-class: false\n", FaultyCode.FinalImplementation.class)
                .start("--spring.aop.proxy-target-class=false")) {
            assertThat(context.getBean(FaultyCode.Service.class).charge()).isEqualTo("attempt 2");
        }
    }

    @Test
    void valueAndExceptionsFoundByAComponentScan() {
        assertThat(BootRun.of("value and exceptions in a scan", """
            retryon:
              defaults:
                delay: soon
                max-atempts: 3
            """, ScannedApplication.class)
                        .failure(output))
                .contains("The retry configuration has 4 faults:")
                .contains("- retryon.defaults.delay (class path resource [application.yml] - 3:12)")
                .contains("did you mean 'retryon.defaults.max-attempts'?")
                .contains("@RetryOn on com.acme.scanned.ScannedService")
                .contains("@RetryOn on com.acme.scanned.ScannedGateway.connect")
                .contains("the two are aliases; list all types in one of them")
                .contains("Correct the annotations and properties named above.");
    }

    @Test
    void aBootThatIsTooOld() {
        assertThat(BootRun.of("old Boot", "", OldBoot.class).failure(output)).isEqualTo("""
            Description:

            RetryOn requires Spring Boot 4.0 or later, but Spring Boot 3.5.7 is on the class path.

            Action:

            Update Spring Boot to 4.0 or later, or remove retry-spring-boot-starter from the class path.\
            """);
        for (String fitting : new String[] {"4.0.0", "4.1.1", "4.2.0-M1", "10.0.0", null}) {
            UnsupportedBootException.throwIfTooOld(fitting);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OldBoot {

        @Bean
        Object old() {
            UnsupportedBootException.throwIfTooOld("3.5.7");
            return new Object();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.acme.Faulty;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What Spring Boot prints about each kind of fault in an annotation. */
@ExtendWith(OutputCaptureExtension.class)
class AnnotationFaultsTests {

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void isPrinted(String title, Class<?> bean, String problem, CapturedOutput output) {
        assertThat(BootRun.of("annotation " + title, "", bean).failure(output))
                .isEqualTo("""
                        Description:

                        The retry configuration has a fault:

                          - @RetryOn on com.acme.Faulty$%s.charge
                              %s

                        Action:

                        Correct the annotation named above.""".formatted(bean.getSimpleName(), problem));
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                arguments(
                        "unknown backoff",
                        Faulty.UnknownBackoff.class,
                        "backoff is 'exponental', but must be one of decorrelated, exponential, fibonacci, fixed, linear,"
                                + " none, polynomial or a method of the bean that takes (int retry,"
                                + " Duration base) or (int retry, Duration base, Duration previous) and returns a Duration"),
                arguments(
                        "unreadable delay",
                        Faulty.UnreadableDelay.class,
                        "delay is '5 parsecs', but must be a duration such as 500ms, 2s, 5m or PT0.5S"),
                arguments(
                        "unparsable gate",
                        Faulty.UnparsableGate.class,
                        "onlyIf is '#attempt <', but does not parse: EL1042E: Problem parsing right operand"
                                + " (at character 10)"),
                arguments(
                        "unknown variable in a gate",
                        Faulty.UnknownVariable.class,
                        "unless is '#atempt > 2', but names the unknown variable #atempt; use one of"
                                + " #args, #attempt, #elapsed, #error, #maxAttempts, #order, #p0, #root, #target,"
                                + " #this"),
                arguments(
                        "unknown bean in a gate",
                        Faulty.UnknownGateBean.class,
                        "onlyIf is '@switchboard.isOn()', but names the bean 'switchboard', which does not" + " exist"),
                arguments(
                        "recovery method with wrong parameters",
                        Faulty.WrongRecovery.class,
                        "recover is 'fallback', but fallback(int, IOException) takes 1 of the 2 arguments. A recovery method"
                                + " for charge(String, int) takes its arguments (all or none), then optionally an error type,"
                                + " then optionally a RetryContext, and returns String"),
                arguments(
                        "method before retries with wrong parameters",
                        Faulty.WrongBeforeRetry.class,
                        "beforeRetry is 'refreshToken', but refreshToken(int, IOException) takes 1 of the 2 arguments. A"
                                + " beforeRetry method of charge(String, int) takes its arguments (all or none), then"
                                + " optionally an error type, then optionally a RetryContext, and must complete its"
                                + " work before it returns, for example void refreshToken()"),
                arguments(
                        "missing method before retries",
                        Faulty.MissingBeforeRetry.class,
                        "beforeRetry is 'refreshToken', but method 'refreshToken' does not exist in"
                                + " the bean; add it, for example void refreshToken()"),
                arguments(
                        "missing recovery method",
                        Faulty.MissingRecovery.class,
                        "recover is 'fallbak', but method 'fallbak' does not exist in the bean"),
                arguments(
                        "missing recovery bean",
                        Faulty.MissingRecoveryBean.class,
                        "recover is 'fallbacks#charge', but no bean is named 'fallbacks'"),
                arguments(
                        "unknown policy",
                        Faulty.UnknownPolicy.class,
                        "policy is 'paymnts', but no policy has this name; use one of grpc-transient, http-transient,"
                                + " jdbc-transient, or configure retryon.policies.paymnts"),
                arguments(
                        "multiplier below 1",
                        Faulty.SmallMultiplier.class,
                        "multiplier is '0.5', but must be finite and at least 1.0"),
                arguments(
                        "unreadable multiplier",
                        Faulty.UnreadableMultiplier.class,
                        "multiplier is 'double', but must be a number of at least 1.0"),
                arguments(
                        "too much jitter",
                        Faulty.TooMuchJitter.class,
                        "jitter is '120%', but must be between 0% and 100%"),
                arguments("negative delay", Faulty.NegativeDelay.class, "delay is '-1s', but must be 0 or more"),
                arguments("negative timeout", Faulty.NegativeTimeout.class, "timeout is '-1m', but must be 0 or more"),
                arguments(
                        "negative maxAttempts",
                        Faulty.NegativeMaxAttempts.class,
                        "maxAttempts is '-1', but must be a whole number of at least 1 (1 means that nothing is retried)"),
                arguments(
                        "unreadable maxAttempts",
                        Faulty.UnreadableMaxAttempts.class,
                        "maxAttempts is 'three', but must be a whole number of at least 1, or 2147483647 for no limit"),
                arguments(
                        "unresolved placeholder",
                        Faulty.UnresolvedPlaceholder.class,
                        "delay is '${payments.delay}', but property 'payments.delay' is not set; set it, or add a"
                                + " default: ${payments.delay:…}"),
                arguments(
                        "failing expression",
                        Faulty.FailingExpression.class,
                        "delay is '#{@missing.delay}', but cannot be resolved: No bean named 'missing' available"),
                arguments(
                        "value and exceptions",
                        Faulty.ValueAndExceptions.class,
                        "'value' lists IOException and 'exceptions' lists UncheckedIOException, but the two are"
                                + " aliases; list all types in one of them"),
                arguments(
                        "final method",
                        Faulty.FinalMethod.class,
                        "the method is final, so no proxy can retry it; make it overridable, or set retryon.mode=aspectj"),
                arguments(
                        "private method",
                        Faulty.PrivateMethod.class,
                        "the method is private, so no proxy can retry it; make it overridable, or set"
                                + " retryon.mode=aspectj"));
    }
}

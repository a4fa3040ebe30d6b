// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Methods that no proxy can retry. */
@ExtendWith(OutputCaptureExtension.class)
class UnreachableMethodsTests {

    static Stream<Arguments> anAnnotationOfTheirOwnIsAFault() {
        return Stream.of(
                arguments(OfPrivate.class, "private"),
                arguments(OfStatic.class, "static"),
                arguments(OfFinal.class, "final"));
    }

    @ParameterizedTest
    @MethodSource
    void anAnnotationOfTheirOwnIsAFault(Class<?> beanClass, String why) {
        Applications.retrying()
                .withBean(beanClass)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .satisfies(fault -> {
                            assertThat(fault.where()).contains("@RetryOn on " + beanClass.getName() + ".run");
                            assertThat(fault.problem()).contains("the method is " + why, "overridable");
                        }));
    }

    @Test
    void annotatedMethodsOfEveryObjectAreFaults() {
        Applications.retrying()
                .withBean(OfEveryObject.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::where, RetryFault::problem)
                        .containsExactly(tuple(
                                "@RetryOn on " + OfEveryObject.class.getName() + ".toString",
                                "equals, hashCode and toString are never retried; move the code that can fail to"
                                        + " another method")));
    }

    @Test
    void methodsOfEveryObjectUnderATypesAnnotationAreNoneOfItsBusiness(CapturedOutput output) {
        Applications.retrying().withBean(WithToString.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(WithToString.class)).hasToString("as it is");
            assertThat(output).doesNotContain("toString");
        });
    }

    @Test
    void allOfThemAreReportedTogether() {
        Applications.retrying()
                .withBean(OfPrivate.class)
                .withBean(OfStatic.class)
                .withBean(OfFinal.class)
                .run(context -> assertThat(Applications.faults(context)).hasSize(3));
    }

    @Test
    void methodsOfAnInterfaceThatNoBeanInheritsAreFaults() {
        Applications.retrying()
                .withBean("one", OfInterface.class)
                .withBean("other", OfInterface.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::where, fault -> fault.problem().split(",")[0])
                        .containsExactlyInAnyOrder(
                                tuple(
                                        "@RetryOn on " + WithUnreachable.class.getName() + ".ofTheInterface",
                                        "the method is static"),
                                tuple(
                                        "@RetryOn on " + WithUnreachable.class.getName() + ".hidden",
                                        "the method is private")));
    }

    @Test
    void aFinalMethodUnderATypesAnnotationIsAWarning(CapturedOutput output) {
        Applications.retrying().withBean(WithFinal.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .containsOnlyOnce(WithFinal.class.getName() + ".closed is final")
                    .contains("@DoNotRetry")
                    .doesNotContain(WithFinal.class.getName() + ".open is")
                    .doesNotContain("hidden is")
                    .doesNotContain("ofTheClass is");
        });
    }

    @Test
    void aFinalMethodBehindAJdkProxyIsReached(CapturedOutput output) {
        Applications.retrying()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(FinalOnInterface.class)
                .run(context -> {
                    assertThat(context.getBean(Runs.class).run()).isEqualTo(3);
                    assertThat(output).doesNotContain("is final");
                });
    }

    static class OfPrivate {

        @RetryOn(IOException.class)
        @SuppressWarnings("UnusedMethod")
        private void run() {}
    }

    static class OfStatic {

        @RetryOn(IOException.class)
        public static void run() {}
    }

    static class OfFinal {

        @RetryOn(IOException.class)
        public final void run() {}
    }

    static class OfEveryObject {

        @RetryOn(IOException.class)
        public void run() {}

        @Override
        @RetryOn(IOException.class)
        public String toString() {
            return "remote";
        }
    }

    @RetryOn(IOException.class)
    static class WithToString {

        public void run() {}

        @Override
        public String toString() {
            return "as it is";
        }
    }

    interface WithUnreachable {

        @RetryOn(IOException.class)
        static void ofTheInterface() {}

        @RetryOn(IOException.class)
        @SuppressWarnings("UnusedMethod")
        private void hidden() {}
    }

    static class OfInterface implements WithUnreachable {}

    @RetryOn(IOException.class)
    static class WithFinal {

        public final void closed() {}

        public void open() {}

        @SuppressWarnings("UnusedMethod")
        private void hidden() {}

        public static void ofTheClass() {}
    }

    interface Runs {

        int run() throws IOException;
    }

    static class FinalOnInterface implements Runs {

        private int calls;

        @Override
        @RetryOn(IOException.class)
        public final int run() throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return calls;
        }
    }
}

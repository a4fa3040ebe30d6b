// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** {@code retryon.pointcuts}: methods that nobody can annotate. */
@ExtendWith(OutputCaptureExtension.class)
class PointcutsTests {

    private static final String LIBRARY = Library.class.getName();

    private final ApplicationContextRunner runner = Applications.retrying()
            .withBean(Library.class)
            .withBean(Bystander.class)
            .withPropertyValues(
                    "retryon.policies.stock.exceptions=java.io.IOException",
                    "retryon.policies.stock.max-attempts=4",
                    "retryon.policies.other.exceptions=java.io.IOException",
                    "retryon.policies.other.max-attempts=2");

    @Test
    void retriesALibraryClassUnderThePolicyOfTheSameId() {
        runner.withPropertyValues("retryon.pointcuts.stock.expression=execution(* " + LIBRARY + ".fetch(..))")
                .run(context -> {
                    Library library = context.getBean(Library.class);
                    assertThatThrownBy(() -> library.fetch("a")).hasMessage("failure 4");
                    assertThatThrownBy(library::other).hasMessage("failure 5");
                    EffectiveSettings settings = Applications.settings(context, Library.class, "fetch");
                    assertThat(settings.source(Setting.MAX_ATTEMPTS)).startsWith("retryon.policies.stock");
                    assertThat(AopUtils.isAopProxy(context.getBean(Bystander.class)))
                            .isFalse();
                });
    }

    @Test
    void orUnderThePolicyThatIsNamed() {
        runner.withPropertyValues(
                        "retryon.pointcuts.stock.expression=within(" + LIBRARY + ")",
                        "retryon.pointcuts.stock.policy=other")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Library.class).fetch("a"))
                        .hasMessage("failure 2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "execution(* java.util.concurrent.Callable+.call()) && within(dev.retryon..*)",
                "execution(public * dev.retryon..PointcutsTests.Library.call(..)) && !execution(* fetch(..))",
                "within(dev.retryon.spring.internal.policy.PointcutsTests$Library) && execution(* call())",
                "target(java.util.concurrent.Callable) && execution(* call()) && within(dev.retryon..*)"
            })
    void understandsWhatAspectJUnderstands(String expression) {
        runner.withPropertyValues("retryon.pointcuts.stock.expression=" + expression)
                .run(context -> {
                    assertThat(Applications.methods(context, Library.class)).hasSize(1);
                    assertThatThrownBy(() -> context.getBean(Library.class).call())
                            .hasMessage("failure 4");
                    assertThat(AopUtils.isAopProxy(context.getBean(Bystander.class)))
                            .isFalse();
                });
    }

    @Test
    void annotationsAreStrongerAndTheLaterIdIsToo() {
        runner.withBean(Annotated.class)
                .withPropertyValues(
                        "retryon.pointcuts.a.expression=within(" + Annotated.class.getName()
                                + ") && execution(public * *(..))",
                        "retryon.pointcuts.a.policy=stock",
                        "retryon.pointcuts.b.expression=execution(* " + Annotated.class.getName() + ".plain())",
                        "retryon.pointcuts.b.policy=other")
                .run(context -> {
                    assertThat(maxAttempts(Applications.settings(context, Annotated.class, "annotated")))
                            .isEqualTo(6);
                    assertThat(maxAttempts(Applications.settings(context, Annotated.class, "plain")))
                            .isEqualTo(2);
                    assertThat(maxAttempts(Applications.settings(context, Annotated.class, "first")))
                            .isEqualTo(4);
                });
    }

    private static Integer maxAttempts(EffectiveSettings settings) {
        return settings.get(Setting.MAX_ATTEMPTS);
    }

    @Test
    void theOperatorsWordIsStrongerStill() {
        runner.withPropertyValues(
                        "retryon.pointcuts.stock.expression=execution(* " + LIBRARY + ".fetch(..))",
                        "retryon.methods.[" + LIBRARY + "#fetch].max-attempts=3")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Library.class).fetch("a"))
                        .hasMessage("failure 3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"execution(* com.acme.", "executing(* *(..))", "execution("})
    void aBadExpressionIsAFault(String expression) {
        runner.withPropertyValues("retryon.pointcuts.stock.expression=" + expression)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .contains("retryon.pointcuts.stock.expression", "'" + expression + "'", "AspectJ"));
    }

    @Test
    void aMissingExpressionIsAFault() {
        runner.withPropertyValues("retryon.pointcuts.stock.policy=other")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .contains("retryon.pointcuts.stock.expression", "not set"));
    }

    @Test
    void anUnknownPolicyIsAFault() {
        runner.withPropertyValues("retryon.pointcuts.stok.expression=within(" + LIBRARY + ")")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .contains("retryon.pointcuts.stok", "'stok'", "jdbc-transient, other, stock"));
    }

    @Test
    void anUnknownPolicyIsAFaultEvenIfNothingMatches() {
        runner.withPropertyValues(
                        "retryon.pointcuts.stock.expression=within(com.acme..*)",
                        "retryon.pointcuts.stock.policy=missing")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .contains("retryon.pointcuts.stock", "'missing'"));
    }

    @Test
    void namesOfBeansAreNoPlaceToLook() {
        // bean(…) is known while a bean is proxied and unknown when it is called: half of it would work.
        runner.withPropertyValues("retryon.pointcuts.stock.expression=bean(library)")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .contains("retryon.pointcuts.stock.expression", "bean(", "within"));
    }

    static class Library implements Callable<String> {

        private int calls;

        public String fetch(String key) throws IOException {
            throw new IOException("failure " + ++calls);
        }

        public String other() throws IOException {
            throw new IOException("failure " + ++calls);
        }

        @Override
        public String call() throws IOException {
            throw new IOException("failure " + ++calls);
        }

        public final String closed() {
            return "";
        }
    }

    static class Bystander {

        public void fetch() {}
    }

    static class Annotated {

        @RetryOn(value = IOException.class, maxAttempts = 6)
        public void annotated() {}

        public void plain() {}

        public void first() {}
    }
}

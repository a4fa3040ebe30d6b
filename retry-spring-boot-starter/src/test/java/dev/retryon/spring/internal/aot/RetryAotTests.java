// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.DoNotRetry;
import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;
import org.springframework.test.context.support.TestPropertySourceUtils;

/** Boot's ahead-of-time processing: what it needs to know, and that retries work afterwards. */
class RetryAotTests {

    private static final ReflectionHintsPredicates REFLECTION = RuntimeHintsPredicates.reflection();

    private static final String[] PROPERTIES = {
        "retryon.defaults.delay=1ms",
        "retryon.policies.reports.exceptions=" + IOException.class.getName(),
        "retryon.pointcuts.reports.expression=execution(* " + RetryAotTests.class.getName() + ".Reports.print(..))"
    };

    @Test
    void namesWhatIsCalledReflectively() {
        TestGenerationContext generation = new TestGenerationContext();
        process(generation);
        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(hints)
                // retried methods, recovery methods, backoff methods and gates of the bean and what it inherits from
                .matches(invocable(Payments.class))
                .matches(invocable(AbstractPayments.class))
                // a recovery method in another bean, which can inherit it
                .matches(invocable(Fallbacks.class))
                .matches(invocable(AbstractFallbacks.class))
                // a method in another bean that runs before retries
                .matches(invocable(Tokens.class))
                // what gates look into: a bean, an argument, an error
                .matches(callable(Switchboard.class))
                .matches(callable(Order.class))
                .matches(callable(PaymentException.class))
                // annotations of the user's own
                .matches(invocable(RetryPayment.class));
        assertThat(REFLECTION
                        .onType(Unrelated.class)
                        .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)
                        .test(hints))
                .isFalse();
    }

    @Test
    void namesWhatEveryApplicationNeeds() {
        RuntimeHints hints = new RuntimeHints();
        new RetryRuntimeHints().registerHints(hints, null);
        assertThat(hints)
                .matches(invocable(RetryOn.class))
                .matches(invocable(RetryOn.List.class))
                .matches(invocable(DoNotRetry.class))
                .matches(RuntimeHintsPredicates.proxies().forInterfaces(RetryOn.class));
    }

    @Test
    @Tag("slow")
    @CompileWithForkedClassLoader
    void retriesInAnApplicationThatWasProcessedAheadOfTime() {
        compiled((context, initializer) -> {
            initializer.initialize(context);
            context.refresh();
            assertRetries(context.getBean(Payments.class));
            assertThatEveryWayToNameCodeWorks(context);
        });
    }

    private static void assertRetries(Payments payments) {
        assertThat(AopUtils.isCglibProxy(payments)).isTrue();
        assertThat(payments.charge(new Order(2))).isEqualTo("charged at 3");
        assertThat(payments.charge(new Order(9))).isEqualTo("fallback");
        assertThatExceptionOfType(PaymentException.class)
                .isThrownBy(() -> payments.gated(new Order(-1)))
                .withMessage("attempt 1");
    }

    private static void assertThatEveryWayToNameCodeWorks(GenericApplicationContext context) {
        Payments payments = context.getBean(Payments.class);
        assertThatExceptionOfType(PaymentException.class)
                .as("a gate that calls a private method of its bean")
                .isThrownBy(() -> payments.gatedByItself(new Order(9)))
                .withMessage("attempt 2");
        assertThat(payments.poll()).as("retryIf").isEqualTo("done at 3");
        assertThat(payments.recovered(new Order(9)))
                .as("a private recovery method without an error parameter")
                .isEqualTo("9 failures");
        assertThat(context.getBean(Reports.class).print()).as("a pointcut").isEqualTo("printed at 3");
    }

    private static java.util.function.Predicate<RuntimeHints> invocable(Class<?> type) {
        return REFLECTION.onType(type).withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS);
    }

    private static java.util.function.Predicate<RuntimeHints> callable(Class<?> type) {
        return REFLECTION.onType(type).withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS);
    }

    static ClassName process(TestGenerationContext generation) {
        ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(application(), generation);
        generation.writeGeneratedContent();
        return initializer;
    }

    /** The application, not started. */
    static AnnotationConfigApplicationContext application() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, PROPERTIES);
        context.register(
                RetryAutoConfiguration.class,
                Payments.class,
                Fallbacks.class,
                Tokens.class,
                Switchboard.class,
                Reports.class,
                Unrelated.class);
        return context;
    }

    @SuppressWarnings("unchecked")
    private static void compiled(
            BiConsumer<GenericApplicationContext, ApplicationContextInitializer<ConfigurableApplicationContext>> test) {
        TestGenerationContext generation = new TestGenerationContext();
        process(generation);
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            GenericApplicationContext context = new GenericApplicationContext();
            TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, PROPERTIES);
            try (context) {
                test.accept(context, compiled.getInstance(ApplicationContextInitializer.class));
            }
        });
    }

    public record Order(int failures) {}

    public static class PaymentException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        PaymentException(String message) {
            super(message);
        }

        public boolean isFinal() {
            return false;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(PaymentException.class)
    public @interface RetryPayment {

        @AliasFor(annotation = RetryOn.class, attribute = "recover")
        String recover() default "";
    }

    public static class AbstractPayments {

        Duration steps(int retry, Duration base) {
            return Duration.ofMillis(retry);
        }
    }

    public static class Payments extends AbstractPayments {

        @RetryPayment(recover = "retryAotTests.Fallbacks#charge")
        @RetryOn(backoff = "steps", beforeRetry = "retryAotTests.Tokens#refresh")
        public String charge(Order order) {
            int attempt = RetryContext.current().attempt();
            if (attempt <= order.failures()) {
                throw new PaymentException("attempt " + attempt);
            }
            return "charged at " + attempt;
        }

        @RetryOn(value = PaymentException.class, onlyIf = "isEarly(#attempt)")
        public String gatedByItself(Order order) {
            throw new PaymentException("attempt " + RetryContext.current().attempt());
        }

        private boolean isEarly(int attempt) {
            return attempt < 2;
        }

        @RetryOn(retryIf = "#result == 'pending'")
        public String poll() {
            int attempt = RetryContext.current().attempt();
            return attempt < 3 ? "pending" : "done at " + attempt;
        }

        @RetryOn(value = PaymentException.class, recover = "count")
        public String recovered(Order order) {
            throw new PaymentException("attempt " + RetryContext.current().attempt());
        }

        private String count(Order order) {
            return order.failures() + " failures";
        }

        @RetryOn(
                value = PaymentException.class,
                onlyIf = "#order.failures() > 0 && @'retryAotTests.Switchboard'.isOn() && !#error.isFinal()")
        public String gated(Order order) {
            throw new PaymentException("attempt " + RetryContext.current().attempt());
        }
    }

    /** Retried by a pointcut alone. */
    public static class Reports {

        private int attempts;

        public String print() {
            attempts++;
            if (attempts < 3) {
                throw new UncheckedIOException(new IOException("attempt " + attempts));
            }
            return "printed at " + attempts;
        }
    }

    public static class AbstractFallbacks {

        String charge(Order order, PaymentException error) {
            return "fallback";
        }
    }

    public static class Fallbacks extends AbstractFallbacks {

        public String charge(Order order, IOException error) {
            return "not this one";
        }
    }

    public static class Tokens {

        public void refresh() {}
    }

    public static class Switchboard {

        public boolean isOn() {
            return true;
        }
    }

    public static class Unrelated {

        public void run() throws IOException {
            throw new IOException();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.spring.OnError;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.validation.annotation.Validated;

/** {@code @Validated} and {@code @RetryOn} on one bean: validation runs once a call (docs/ordering.md). */
class MethodValidationTests {

    private final ApplicationContextRunner runner =
            Applications.retrying().withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class));

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void argumentsAreCheckedOnceACall(String proxyTargetClass) {
        runner.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .withBean(Desk.class)
                .run(context -> {
                    Asked desk = context.getBean(Asked.class);
                    Text text = new Text("hello");

                    assertThat(desk.ask(text)).isEqualTo(3);
                    assertThat(text.looks).hasValue(1);
                });
    }

    @Test
    void aViolationIsNoFailureOfAnAttempt() {
        runner.withBean(Desk.class).run(context -> {
            Asked desk = context.getBean(Asked.class);

            assertThatThrownBy(() -> desk.ask(new Text(" ")))
                    .isInstanceOf(ConstraintViolationException.class)
                    .hasNoSuppressedExceptions();
            assertThat(desk.calls())
                    .as("not retried although every exception is")
                    .isZero();
        });
    }

    @Test
    void aRuleForTheViolationRetriesIt() {
        runner.withBean(Ruled.class)
                .run(context -> assertThat(context.getBean(Ruled.class).next()).isEqualTo("quote 3"));
    }

    @Test
    void theReturnedValueIsCheckedOnceACall() {
        runner.withBean(Blanks.class).run(context -> {
            Blanks blanks = context.getBean(Blanks.class);

            assertThatThrownBy(blanks::next).isInstanceOf(ConstraintViolationException.class);
            assertThat(blanks.calls()).isEqualTo(1);
        });
    }

    @Test
    void validationStaysInsideWhereItsExceptionIsListed() {
        runner.withBean(Quotes.class)
                .run(context -> assertThat(context.getBean(Quotes.class).next())
                        .as("a returned value that is not valid is retried")
                        .isEqualTo("quote 3"));
    }

    @Test
    void validationStandsBehindMethodSecurity() {
        runner.withUserConfiguration(Security.class).withBean(Vault.class).run(context -> {
            Text text = new Text("hello");

            assertThatThrownBy(() -> context.getBean(Vault.class).open(text))
                    .isInstanceOf(AuthenticationCredentialsNotFoundException.class);
            assertThat(text.looks).hasValue(0);
        });
    }

    @Test
    void beansThatAreOnlyValidatedAreLeftAlone() {
        runner.withBean(Unretried.class)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Unretried.class).ask(new Text("")))
                        .isInstanceOf(ConstraintViolationException.class));
    }

    @Test
    void worksWithoutBeanValidation() {
        Applications.retrying()
                .withClassLoader(new FilteredClassLoader("jakarta.validation"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ValidationBeforeRetries.class));
    }

    interface Asked {

        int ask(@Valid Text question) throws IOException;

        int calls();
    }

    @Validated
    static class Desk implements Asked {

        private int calls;

        @Override
        public int calls() {
            return calls;
        }

        @Override
        @RetryOn(Exception.class)
        public int ask(@Valid Text question) throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return calls;
        }
    }

    @Validated
    static class Blanks {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn(Exception.class)
        public @NotBlank String next() {
            calls++;
            return " ";
        }
    }

    @Validated
    static class Quotes {

        private int calls;

        @RetryOn(ConstraintViolationException.class)
        public @NotBlank String next() {
            return ++calls < 3 ? " " : "quote " + calls;
        }
    }

    @Validated
    static class Ruled {

        private int calls;

        @RetryOn(errors = @OnError(value = ConstraintViolationException.class, delay = "0"))
        public @NotBlank String next() {
            return ++calls < 3 ? " " : "quote " + calls;
        }
    }

    @Validated
    static class Unretried {

        public void ask(@Valid Text question) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Security {}

    @Validated
    static class Vault {

        @RetryOn(IOException.class)
        @PreAuthorize("hasRole('KEEPER')")
        public void open(@Valid Text reason) {}
    }

    static class Text {

        private final String content;

        final AtomicInteger looks = new AtomicInteger();

        Text(String content) {
            this.content = content;
        }

        @NotBlank public String getContent() {
            looks.incrementAndGet();
            return content;
        }
    }
}

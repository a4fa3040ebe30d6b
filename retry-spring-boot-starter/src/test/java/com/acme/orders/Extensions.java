// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.Retry;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import dev.retryon.RetryOperation;
import dev.retryon.RetrySignal;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.ReturnStyle;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;

/** The examples of the guide to extensions. */
public final class Extensions {

    private Extensions() {}

    @Target({ElementType.TYPE, ElementType.METHOD})
    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(
            exceptions = {IOException.class, TimeoutException.class},
            backoff = "steps",
            nonRetryableErrors = "bank.*")
    public @interface RetryBank {

        @AliasFor(annotation = RetryOn.class, attribute = "maxAttempts")
        int maxAttempts() default 4;
    }

    public static class Bank {

        private int calls;

        @RetryBank(maxAttempts = 3)
        public String charge(String order) throws IOException {
            calls++;
            if (order.equals("refused")) {
                throw new BankException("limit");
            }
            throw new IOException("down");
        }

        @RetryBank
        public String poll(String order) {
            calls++;
            if (calls < 3) {
                throw RetrySignal.retryAfter("the bank is busy", Duration.ofSeconds(2));
            }
            throw RetrySignal.fail("the bank is closed");
        }

        @RetryBank
        public Answer ask(String order) {
            calls++;
            return calls < 3 ? Answer.failed(new IOException("down")) : Answer.of("at " + calls);
        }

        public int calls() {
            return calls;
        }
    }

    public static class BankException extends IOException {

        private static final long serialVersionUID = 1L;

        private final String code;

        public BankException(String code) {
            this.code = code;
        }

        public String code() {
            return code;
        }
    }

    public record Answer(String value, Exception error) {

        static Answer of(String value) {
            return new Answer(value, null);
        }

        static Answer failed(Exception error) {
            return new Answer(null, error);
        }
    }

    public static class AnswerStyle implements ReturnStyle {

        @Override
        public boolean isStyleOf(Method method) {
            return method.getReturnType() == Answer.class;
        }

        @Override
        public Object call(Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, Object> attempts)
                throws Throwable {
            try {
                return retry.call(invocation, (call, attempt) -> {
                    Answer answer = (Answer) attempts.run(call, attempt);
                    if (answer.error() != null) {
                        throw answer.error();
                    }
                    return answer;
                });
            } catch (Exception ex) {
                return Answer.failed(ex);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    public static class Beans {

        @Bean
        BackoffStrategy steps() {
            Duration[] steps = {Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(30)};
            return (retry, base, previous) -> steps[Math.min(retry, steps.length) - 1];
        }

        @Bean
        RetryHintResolver bankCodes() {
            return (error, context) ->
                    error instanceof BankException bank ? RetryHint.ofErrorCode("bank." + bank.code()) : null;
        }

        @Bean
        RetryEngineCustomizer unpredictableJitter() {
            return engine -> engine.random(new SecureRandom());
        }

        @Bean
        AnswerStyle answers() {
            return new AnswerStyle();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Recovery methods that do not ask for the error, alone and beside those that do. */
class RecoveryWithoutErrorTests {

    private final ApplicationContextRunner runner =
            Applications.retrying().withBean(Shop.class).withBean(Covered.class);

    private interface Check {

        void on(Shop shop) throws Exception;
    }

    private void with(Check check) {
        runner.run(context -> check.on(context.getBean(Shop.class)));
    }

    @Test
    void takesNothing() {
        with(shop -> assertThat(shop.nothing("a", 1)).isEqualTo("nothing"));
    }

    @Test
    void takesTheArguments() {
        with(shop -> assertThat(shop.arguments("a", 1)).isEqualTo("a 1"));
    }

    @Test
    void takesTheFailureWithoutTheError() {
        with(shop -> {
            assertThat(shop.failure("a")).isEqualTo("Shop.failure down");
            assertThat(shop.argumentsAndFailure("a", 1)).isEqualTo("a 1 down");
        });
    }

    @Test
    void servesWhatNoErrorTypeFits() {
        with(shop -> {
            assertThat(shop.nearest(new FileNotFoundException())).isEqualTo("file");
            assertThat(shop.nearest(new IOException())).isEqualTo("others");
        });
    }

    @Test
    void anErrorTypeThatFitsTheWrapperIsNearer() {
        with(shop -> {
            assertThat(shop.wrapped(new ExecutionException(new IOException()))).isEqualTo("wrapper");
            assertThat(shop.wrapped(new IOException())).isEqualTo("others");
        });
    }

    @Test
    void ofSeveralTheOneThatTakesMoreServes() {
        with(shop -> assertThat(shop.richest("a")).isEqualTo("a down"));
    }

    @Test
    void evenThrowableIsNearerThanNothing() {
        with(shop -> assertThat(shop.any("a")).isEqualTo("throwable"));
    }

    @Test
    void anExceptionInThePlaceOfTheLastArgumentIsThatArgument() {
        IllegalStateException argument = new IllegalStateException("argument");
        with(shop -> assertThat(shop.logged("a", argument)).isEqualTo("a argument"));
    }

    @Test
    void isNotRetriedItselfUnderAnAnnotationOfTheClass() {
        runner.run(context -> {
            Covered covered = context.getBean(Covered.class);
            assertThat(covered.price()).isEqualTo("served");
            assertThat(Applications.methods(context, Covered.class))
                    .extracting(method -> method.method().getName())
                    .containsExactlyInAnyOrder("price", "stock");
            assertThatExceptionOfType(IOException.class).isThrownBy(covered::cached);
        });
    }

    static class Shop {

        @RetryOn(value = IOException.class, recover = "noArguments")
        public String nothing(String item, int amount) throws IOException {
            throw new IOException("down");
        }

        String noArguments() {
            return "nothing";
        }

        @RetryOn(value = IOException.class, recover = "allArguments")
        public String arguments(String item, int amount) throws IOException {
            throw new IOException("down");
        }

        String allArguments(String item, int amount) {
            return item + " " + amount;
        }

        @RetryOn(value = IOException.class, recover = "onlyFailure")
        public String failure(String item) throws IOException {
            throw new IOException("down");
        }

        String onlyFailure(RetryContext context) {
            return context.name() + " " + context.lastError().getMessage();
        }

        @RetryOn(value = IOException.class, recover = "both")
        public String argumentsAndFailure(String item, int amount) throws IOException {
            throw new IOException("down");
        }

        String both(String item, int amount, RetryContext context) {
            return item + " " + amount + " " + context.lastError().getMessage();
        }

        @RetryOn(value = IOException.class, recover = "others")
        public String nearest(Exception error) throws Exception {
            throw error;
        }

        String others() {
            return "others";
        }

        String others(FileNotFoundException error) {
            return "file";
        }

        @RetryOn(value = IOException.class, recover = "unwrapped")
        public String wrapped(Exception error) throws Exception {
            throw error;
        }

        String unwrapped() {
            return "others";
        }

        String unwrapped(ExecutionException error) {
            return "wrapper";
        }

        @RetryOn(value = IOException.class, recover = "rich")
        public String richest(String item) throws IOException {
            throw new IOException("down");
        }

        String rich() {
            return "nothing";
        }

        String rich(String item, RetryContext context) {
            return item + " " + context.lastError().getMessage();
        }

        String rich(RetryContext context) {
            return "the failure";
        }

        String rich(String item) {
            return "the arguments";
        }

        @RetryOn(value = IOException.class, recover = "anything")
        public String any(String item) throws IOException {
            throw new IOException("down");
        }

        String anything(String item) {
            return "nothing";
        }

        String anything(Throwable error) {
            return "throwable";
        }

        @RetryOn(value = IOException.class, recover = "log")
        public String logged(String item, IllegalStateException argument) throws IOException {
            throw new IOException("down");
        }

        String log(String item, IllegalStateException argument) {
            return item + " " + argument.getMessage();
        }
    }

    @RetryOn(value = IOException.class, recover = "cached")
    static class Covered {

        private boolean isAsked;

        public String price() throws IOException {
            isAsked = true;
            throw new IOException("down");
        }

        public String stock() throws IOException {
            return price();
        }

        public String cached() throws IOException {
            if (isAsked) {
                isAsked = false;
                return "served";
            }
            throw new IOException("nothing cached");
        }
    }
}

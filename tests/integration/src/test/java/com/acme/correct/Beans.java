// SPDX-License-Identifier: Apache-2.0
package com.acme.correct;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;

import dev.retryon.RetrySignal;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import jakarta.annotation.PostConstruct;
import java.io.IOException;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Profile;

/** Beans of applications that are unusual and right. */
public final class Beans {

    private Beans() {}

    /** The usual case. */
    public static class Payments {

        int attempts;

        @RetryOn(RuntimeException.class)
        public void charge(RuntimeException error) {
            attempts++;
            throw error;
        }
    }

    /** A class without a bean. */
    public static class Outside {

        @RetryOn(IOException.class)
        public void send() {}
    }

    /** An interface without a bean. */
    public interface Rates {

        @RetryOn(IOException.class)
        int rate();
    }

    /** A bean that is there only where it is switched on. */
    @Configuration(proxyBeanMethods = false)
    public static class ConditionalPayments {

        @Bean
        @ConditionalOnProperty("payments.enabled")
        Payments payments() {
            return new Payments();
        }
    }

    /** A bean that is there only in production. */
    @Configuration(proxyBeanMethods = false)
    @Profile("production")
    public static class OfProfile {

        @RetryOn(IOException.class)
        public void send() {}
    }

    /** What a caller pays. */
    public static class Payment {}

    /** What most callers pay. */
    public static class CardPayment extends Payment {

        public int getNumber() {
            return 1;
        }
    }

    /** Its callers pass a subclass. */
    public static class Subclasses {

        int attempts;

        @RetryOn(value = IOException.class, onlyIf = "#payment.number == 1")
        public void charge(Payment payment) throws IOException {
            attempts++;
            throw new IOException();
        }
    }

    /** Generic. */
    public abstract static class Generic<T extends Payment> {

        @RetryOn(value = IOException.class, unless = "#payment.number == 2 or #options.size() > 3")
        public void charge(T payment, Map<String, T> options) {}
    }

    /** A bean of a generic class. */
    public static class GenericPayments extends Generic<CardPayment> {}

    /** Retries a value and an error. */
    public static class ValuesAndErrors {

        int attempts;

        @RetryOn(
                value = IOException.class,
                retryIf = "#result < 0",
                onlyIf = "#error == null or #error.message != 'final'")
        public int rate() {
            attempts++;
            return -1;
        }
    }

    /** Without an annotation. */
    public static class Plain {

        private int attempts;

        public void send() throws IOException {
            count();
            throw new IOException();
        }

        public int attempts() {
            return attempts;
        }

        private void count() {
            attempts++;
        }

        static void help() {}

        public final int limit() {
            return 3;
        }
    }

    /** An interface of a bean. */
    public interface Prices {

        int price() throws IOException;
    }

    /** A class of which no proxy can be made. */
    public static final class FinalPrices implements Prices {

        @Override
        public int price() {
            return 1;
        }

        /** One that is retried by its interface. */
        public static final class Retried implements Prices {

            @Override
            @RetryOn(IOException.class)
            public int price() throws IOException {
                throw new IOException();
            }
        }
    }

    /** Properties in a record. */
    @ConfigurationProperties("shop")
    public record ShopSettings(String name) {}

    /** Has them. */
    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(ShopSettings.class)
    public static class ScannedSettings {}

    /** Makes a bean later. */
    @Configuration(proxyBeanMethods = false)
    public static class HiddenPrices {

        @Bean
        @Lazy
        Prices prices() {
            return new Made();
        }

        /** What is made. */
        public static class Made implements Prices {

            @Override
            public int price() {
                return 1;
            }
        }
    }

    /** Written as constants are. */
    public static class LoudPayments {

        int attempts;

        @RetryOn(value = IOException.class, backoff = "FIXED", jitter = "FULL", delay = "1ms")
        public void charge() throws IOException {
            attempts++;
            throw new IOException();
        }
    }

    /** Asks for its retries itself. */
    public static class Signalling {

        int attempts;

        @RetryOn(RetrySignal.class)
        public void send() {
            attempts++;
            throw RetrySignal.retry("not yet");
        }
    }

    /** Lists no exceptions. */
    public static class Bare {

        @RetryOn(maxAttempts = 5)
        public void send() {}
    }

    /** Its calls are kept and not retried. */
    public static class KeptForLater {

        @Durable(ON_EXHAUSTION)
        public void send() {}
    }

    /** Spring and others call it. */
    public static class Callback {

        @PostConstruct
        @RetryOn(IOException.class)
        public void connect() {}
    }

    /** Several accounts. */
    public abstract static class Accounts {

        @RetryOn(IOException.class)
        public void close() {}

        /** One. */
        public static class Savings extends Accounts {}

        /** Another. */
        public static class Current extends Accounts {}
    }
}

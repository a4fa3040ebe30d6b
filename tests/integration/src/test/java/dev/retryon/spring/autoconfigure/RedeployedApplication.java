// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.RetryContext;
import dev.retryon.RetryListener;
import dev.retryon.RetryResult;
import dev.retryon.durable.Durable;
import dev.retryon.durable.WhenFailed;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** An application that makes calls of all kinds on threads that outlive it, and is closed. See {@link RedeployServer}. */
final class RedeployedApplication implements Consumer<Map<String, Object>> {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryTelemetryAutoConfiguration.class,
        RetryMetricsAutoConfiguration.class,
        RetryEndpointAutoConfiguration.class
    })
    static class Beans {

        @Bean
        Stock stock() {
            return new Stock();
        }

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        RetryListener listener() {
            return event -> {};
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({RetryDurableCoreAutoConfiguration.class, RetryDurableAutoConfiguration.class})
    static class DurableBeans extends Beans {

        @Bean
        Mails mails() {
            return new Mails();
        }
    }

    @Override
    public void accept(Map<String, Object> server) {
        Object store = server.get("store");
        Map<String, Object> properties = new HashMap<>(Map.of(
                "retryon.defaults.delay", "1ms",
                "retryon.defaults.jitter", "none",
                "spring.main.banner-mode", "off",
                "spring.main.register-shutdown-hook", "false"));
        if (store != null) {
            properties.put("retryon.durable.store", "embedded");
            properties.put("retryon.durable.path", store.toString());
        }
        ExecutorService pool = (ExecutorService) server.get("pool");
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        store == null ? Beans.class : DurableBeans.class)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .run()) {
            Stock stock = context.getBean(Stock.class);
            makeCalls(stock);
            pool.submit(() -> makeCalls(stock)).get(30, TimeUnit.SECONDS);
            onVirtualThread(() -> makeCalls(stock));
            if (store != null) {
                send(context.getBean(Mails.class));
            }
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static void makeCalls(Stock stock) {
        try {
            expect(stock.blocking(new IOException("down")), "blocking");
            expect(stock.limited(), "limited");
            expect(stock.recovered(), "java.io.IOException: down");
            expect(stock.stage().get(30, TimeUnit.SECONDS), "stage");
            expect(stock.mono().block(), "mono");
            RetryResult<String> result = Retries.capture(() -> Retries.with(retry -> retry.maxAttempts(2))
                    .call(() -> stock.blocking(new UncheckedIOException(new IOException("down")))));
            expect(String.valueOf(result.attempts()), "2");
            try {
                stock.failing();
                throw new IllegalStateException("no error");
            } catch (UncheckedIOException ex) {
                expect(ex.getMessage(), "always");
            }
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Where there are such threads. */
    private static void onVirtualThread(Runnable calls) throws Exception {
        if (Runtime.version().feature() >= 21) {
            Thread thread = (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, calls);
            thread.join();
        }
    }

    private static void send(Mails mails) throws Exception {
        mails.outbox("17");
        mails.onFailure("18");
        if (!mails.areMade()) {
            throw new IllegalStateException("not all attempts were made");
        }
    }

    private static void expect(String value, String expected) {
        if (!expected.equals(value)) {
            throw new IllegalStateException("'" + value + "', not '" + expected + "'");
        }
    }

    static class Stock {

        @RetryOn(value = Exception.class, onlyIf = "#error.message != 'no'")
        public String blocking(Exception error) throws Exception {
            if (RetryContext.current().attempt() == 1) {
                throw error;
            }
            return "blocking";
        }

        @RetryOn(value = AttemptTimeoutException.class, attemptTimeout = "20ms")
        public String limited() throws InterruptedException {
            if (RetryContext.current().attempt() == 1) {
                new CountDownLatch(1).await();
            }
            return "limited";
        }

        @RetryOn(value = IOException.class, recover = "instead")
        public String recovered() throws IOException {
            throw new IOException("down");
        }

        String instead(IOException error) {
            return error.toString();
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> stage() {
            return RetryContext.current().attempt() < 3
                    ? CompletableFuture.failedFuture(new IOException("down"))
                    : CompletableFuture.supplyAsync(() -> "stage");
        }

        @RetryOn(IOException.class)
        public Mono<String> mono() {
            return RetryContext.current().attempt() < 3 ? Mono.error(new IOException("down")) : Mono.just("mono");
        }

        @RetryOn(UncheckedIOException.class)
        public void failing() {
            throw new UncheckedIOException("always", new IOException("down"));
        }
    }

    static class Mails {

        private final CountDownLatch attempts = new CountDownLatch(2 + 3);

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void outbox(String order) throws IOException {
            attempts.countDown();
            if (RetryContext.current().attempt() == 1) {
                throw new IOException("down");
            }
        }

        @RetryOn(IOException.class)
        @Durable(value = ON_FAILURE, whenFailed = WhenFailed.KEEP_ALL)
        public void onFailure(String order) throws IOException {
            attempts.countDown();
            throw new IOException("down");
        }

        public boolean areMade() throws InterruptedException {
            return attempts.await(30, TimeUnit.SECONDS);
        }
    }
}

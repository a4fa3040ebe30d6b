// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@SpringBootTest(properties = "retryon.defaults.jitter=none")
@VirtualRetries
@Import(FaultInjectionTests.FlakyBeans.class)
class FaultInjectionTests {

    @Autowired
    private FaultInjection<Partner> partnerFaults;

    @Autowired
    private FaultInjection<Shop> shopFaults;

    @Autowired
    private Partner partner;

    @Autowired
    private Shop shop;

    @Autowired
    private RecordedRetries retries;

    @BeforeEach
    void forget() {
        retries.clear();
        partnerFaults.clear();
        shopFaults.clear();
        partner.calls().set(0);
    }

    @Test
    void eachAttemptOfARetriedMethodMeetsTheFaults() throws IOException {
        shopFaults.fail("order", 2, IOException::new);

        assertThat(shop.order()).isEqualTo("price");

        assertThat(retries)
                .of("Shop.order")
                .attempted(3)
                .waited(ofSeconds(1), ofSeconds(2))
                .succeeded();
        assertThat(partner.calls()).hasValue(1);
    }

    @Test
    void attemptsMeetTheFaultsOfTheBeansTheyCall() throws IOException {
        partnerFaults.fail("price", 1, IOException::new);

        assertThat(shop.order()).isEqualTo("price");

        assertThat(retries).of("Shop.order").attempted(2).succeeded();
    }

    @Test
    void theErrorOfTheFaultStopsTheRetriesIfThePolicyDoesNotListIt() {
        partnerFaults.fail("price", 1, IllegalStateException::new);

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(shop::order)
                .withMessage("Injected into Partner.price");

        assertThat(retries).of("Shop.order").attempted(1).failed(StopReason.NOT_RETRYABLE);
    }

    @Test
    void futuresAndPublishersFailInsteadOfTheCall() {
        List<String> methods = List.of("priceFuture", "priceStage", "priceLater", "priceMono", "priceFlux");
        methods.forEach(method -> partnerFaults.fail(method, 1, TimeoutException::new));

        assertThat(partner.priceFuture()).isNotNull();
        assertThat(partner.priceStage().toCompletableFuture()).isCompletedExceptionally();
        assertThat(partner.priceLater()).isCompletedExceptionally();
        for (Mono<String> failed :
                List.of(partner.priceMono(), partner.priceFlux().next())) {
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(failed::block)
                    .withCauseInstanceOf(TimeoutException.class);
        }

        assertThat(partner.calls()).hasValue(0);
        assertThat(partner.priceMono().block()).isEqualTo("price");
    }

    @Test
    void asynchronousCallsAreRetried() {
        shopFaults.fail("orderLater", 2, IOException::new).fail("orderMono", 1, IOException::new);

        assertThat(shop.orderLater().join()).isEqualTo("price");
        assertThat(shop.orderMono().block()).isEqualTo("price");

        assertThat(retries).of("Shop.orderLater").attempted(3).succeeded();
        assertThat(retries).of("Shop.orderMono").attempted(2).succeeded();
    }

    @Test
    void faultsOfAMethodApplyInTheirOrder() {
        partnerFaults
                .fail("price", 1, IOException::new)
                .fail("price", 0, IllegalCallerException::new)
                .fail("price", 2, IllegalStateException::new)
                .failRandomly("price", 1, 42, IllegalArgumentException::new);

        assertThat(failures(5))
                .containsExactly(
                        IOException.class,
                        IllegalStateException.class,
                        IllegalStateException.class,
                        IllegalArgumentException.class,
                        IllegalArgumentException.class);
    }

    @Test
    void theSeedDecidesWhichCallsFail() {
        assertThat(failures(100, 42)).isEqualTo(failures(100, 42)).isNotEqualTo(failures(100, 43));
        // 0.3 ± 3 standard deviations of sqrt(0.3 · 0.7 / 1000) = 0.0145
        assertThat(failures(1000, 42).stream().filter(IOException.class::equals))
                .hasSizeBetween(256, 344);
    }

    @Test
    void probabilitiesAreNeverToAlways() {
        partnerFaults.failRandomly("price", 0, 42, IOException::new);
        assertThat(failures(100)).containsOnly(Void.class);
        partnerFaults.failRandomly("price", 1, 42, IOException::new);
        assertThat(failures(100)).containsOnly(IOException.class);
    }

    @Test
    void concurrentCallsFailAsOftenAsConfigured() {
        IOException error = new IOException("down");
        for (int i = 0; i < 500; i++) {
            partnerFaults.fail("price", 10, message -> error);
        }
        // 5000 = 500 · 10
        assertThat(concurrentFailures(4, 2_000)).isEqualTo(5_000);

        partnerFaults.clear();
        partnerFaults.failRandomly("price", 0.3, 42, message -> error);
        int oneByOne = concurrentFailures(1, 800_000);
        partnerFaults.clear();
        partnerFaults.failRandomly("price", 0.3, 42, message -> error);
        assertThat(concurrentFailures(4, 200_000)).isEqualTo(oneByOne);
    }

    @Test
    void methodsOfTheSameNameShareTheirFaults() throws IOException {
        partnerFaults.fail("price", 1, IOException::new);

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> partner.price("tea"));
        assertThat(partner.price()).isEqualTo("price");
    }

    @Test
    void refusesAMethodThatCannotFail() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> partnerFaults.fail("prize", 1, IOException::new))
                .withMessage(
                        "FaultInjection.in(Partner.class): the method is 'prize', but the methods that can fail are"
                                + " calls, price, priceFlux, priceFuture, priceLater, priceMono, priceStage, quote; private, static and"
                                + " final methods cannot. For example:"
                                + " FaultInjection.in(Partner.class).fail(\"calls\", 2, IllegalStateException::new)");
        for (String method : List.of("hidden", "fixed", "shared")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> partnerFaults.fail(method, 1, IllegalStateException::new))
                    .withMessageContaining("the method is '" + method + "', but");
        }
    }

    @Test
    void refusesNumbersOutOfBounds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> partnerFaults.fail("price", -1, IOException::new))
                .withMessage(
                        "FaultInjection.in(Partner.class): times is -1, but must be 0 or more."
                                + " For example: FaultInjection.in(Partner.class).fail(\"price\", 2, IllegalStateException::new)");
        for (double probability : new double[] {-0.1, 1.1, Double.NaN}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> partnerFaults.failRandomly("price", probability, 42, IOException::new))
                    .withMessage(
                            "FaultInjection.in(Partner.class): probability is " + probability
                                    + ", but must be between 0 and 1. For example:"
                                    + " FaultInjection.in(Partner.class).failRandomly(\"price\", 0.3, 42, IllegalStateException::new)");
        }
    }

    @Test
    void refusesErrorsThatTheMethodCannotThrow() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> partnerFaults.fail("price", 1, TimeoutException::new))
                .withMessage("FaultInjection.in(Partner.class): the error is java.util.concurrent.TimeoutException, but"
                        + " Partner.price can throw only unchecked exceptions and java.io.IOException. For example:"
                        + " FaultInjection.in(Partner.class).fail(\"price\", 2, IllegalStateException::new)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> partnerFaults.failRandomly("quote", 1, 42, IOException::new))
                .withMessageContaining("Partner.quote can throw only unchecked exceptions. For example:");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> partnerFaults.fail("price", 1, message -> null))
                .withMessageContaining("the error is null");
        partnerFaults.fail("quote", 1, AssertionError::new);
    }

    @Test
    void anApplicationStartedFromTheTestClassPathMeetsTheFaultsOfItsConfiguration() throws IOException {
        try (ConfigurableApplicationContext context = SpringApplication.from(Application::main)
                .with(FlakyBeans.class, VirtualRetriesConfiguration.class)
                .run("--spring.main.web-application-type=none")
                .getApplicationContext()) {
            assertThat(context.getBean(Shop.class).order()).isEqualTo("price");

            assertThat(context.getBean(RecordedRetries.class)).of("Shop.order").attempted(2);
        }
    }

    /** For each call the class of its error, or {@code Void} if it succeeds. */
    private List<Class<?>> failures(int calls) {
        List<Class<?>> failures = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            try {
                partner.price();
                failures.add(Void.class);
            } catch (Exception ex) {
                failures.add(ex.getClass());
            }
        }
        return failures;
    }

    private List<Class<?>> failures(int calls, long seed) {
        partnerFaults.clear();
        partnerFaults.failRandomly("price", 0.3, seed, IOException::new);
        return failures(calls);
    }

    private int concurrentFailures(int threads, int callsOfEach) {
        CyclicBarrier start = new CyclicBarrier(threads);
        List<CompletableFuture<Integer>> failures = IntStream.range(0, threads)
                .mapToObj(thread -> CompletableFuture.supplyAsync(
                        () -> failuresAfter(start, callsOfEach), task -> new Thread(task).start()))
                .toList();
        return failures.stream().mapToInt(CompletableFuture::join).sum();
    }

    private int failuresAfter(CyclicBarrier start, int calls) {
        try {
            start.await();
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
        int failures = 0;
        for (int i = 0; i < calls; i++) {
            try {
                partner.price();
            } catch (IOException ex) {
                failures++;
            }
        }
        return failures;
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class FlakyBeans {

        @Bean
        static FaultInjection<Partner> partnerFaults() {
            return FaultInjection.in(Partner.class).fail("price", 1, IOException::new);
        }

        @Bean
        static FaultInjection<Shop> shopFaults() {
            return FaultInjection.in(Shop.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RetryAutoConfiguration.class)
    @Import({Partner.class, Shop.class})
    static class Application {

        static void main(String[] args) {
            SpringApplication.run(Application.class, args);
        }
    }

    /** Not retried: beans without a proxy get one. */
    static class Partner {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        String price() throws IOException {
            return quote();
        }

        String price(String item) throws IOException {
            return quote();
        }

        String quote() {
            calls.incrementAndGet();
            return "price";
        }

        Future<String> priceFuture() {
            return priceLater();
        }

        CompletionStage<String> priceStage() {
            return priceLater();
        }

        CompletableFuture<String> priceLater() {
            return CompletableFuture.completedFuture(quote());
        }

        Mono<String> priceMono() {
            return Mono.just(quote());
        }

        Flux<String> priceFlux() {
            return Flux.just(quote());
        }

        private String hidden() {
            return shared();
        }

        final String fixed() {
            return hidden();
        }

        static String shared() {
            return "shared";
        }
    }

    static class Shop {

        private final Partner partner;

        Shop(Partner partner) {
            this.partner = partner;
        }

        @RetryOn(IOException.class)
        public String order() throws IOException {
            return partner.price();
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> orderLater() {
            return partner.priceLater();
        }

        @RetryOn(IOException.class)
        public Mono<String> orderMono() {
            return partner.priceMono();
        }
    }
}

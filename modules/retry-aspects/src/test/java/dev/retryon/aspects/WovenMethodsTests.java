// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryResult;
import dev.retryon.spring.Retries;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Calls of methods that AspectJ has woven while their classes were loaded. */
@Tag("slow")
class WovenMethodsTests {

    private ConfigurableApplicationContext context;

    private Shop shop;

    @BeforeEach
    void start() {
        context = AspectsModule.start(Shop.class);
        shop = context.getBean(Shop.class);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void selfInvokedMethodsAreRetried() throws IOException {
        assertThat(shop.callsAll()).isEqualTo("private at 3, protected at 3, final at 3, public at 3");
        assertThat(shop.getClass()).as("no proxy").isSameAs(Shop.class);
    }

    @Test
    void staticMethodsAreRetried() throws IOException {
        assertThat(Shop.shared("static")).isEqualTo("static at 3");
    }

    @Test
    void methodsOfObjectsThatAreNoBeansAreRetried() throws IOException {
        Shop other = new Shop();

        assertThat(other.visible()).isEqualTo("public at 3");
        assertThat(shop.partner.attempts("public")).isZero();
    }

    @Test
    void aMethodWithoutAnAnnotationIsNotRetried() {
        assertThatExceptionOfType(IOException.class).isThrownBy(shop::notRetried);
        assertThat(shop.partner.attempts("plain")).isEqualTo(1);
    }

    @Test
    void futuresAreRetried() {
        assertThat(shop.later().join()).isEqualTo("future at 3");
    }

    @Test
    void recoveryAndPreparationAreMethodsOfTheObject() throws IOException {
        Shop other = new Shop();
        other.partner.attempts("prepared");
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> other.partner.fetch("prepared"));
        }

        assertThat(other.callsRecovered("order")).isEqualTo("order instead of order at 2");
        assertThat(other.partner.attempts("prepared")).isEqualTo(3);
    }

    @Test
    void gatesAskTheObject() throws IOException {
        assertThat(shop.gated("open")).isEqualTo("open at 3");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.gated("closed"));
        assertThat(shop.partner.attempts("closed")).isEqualTo(1);
    }

    @Test
    void singleCallsHaveOtherSettings() throws Exception {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(
                        () -> Retries.with(settings -> settings.maxAttempts(2)).call(shop::visible));
        RetryResult<String> result = Retries.capture(() -> Shop.shared("captured"));

        assertThat(shop.partner.attempts("public")).isEqualTo(2);
        assertThat(result.attempts()).isEqualTo(3);
    }

    @Test
    void otherAspectsRunOncePerCall() throws IOException {
        int before = CountingAspect.CALLS.get();

        assertThat(shop.audited("order")).isEqualTo("order! at 3");
        assertThat(CountingAspect.CALLS.get() - before).isEqualTo(1);
    }

    @Test
    void manyThreadsCallAtOnce() {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<CompletableFuture<String>> calls = IntStream.range(0, 20_000)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> audited("order " + i), threads))
                    .toList();

            for (int i = 0; i < calls.size(); i++) {
                assertThat(calls.get(i).join()).isEqualTo("order " + i + "! at 3");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private String audited(String name) {
        try {
            return shop.audited(name);
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void withoutAContextAMethodRunsOnce() {
        context.close();

        assertThatExceptionOfType(IOException.class).isThrownBy(shop::visible);
        assertThat(shop.partner.attempts("public")).isEqualTo(1);
    }
}

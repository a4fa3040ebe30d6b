// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withServerError;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.RecordedRetries;
import jakarta.persistence.EntityManager;
import java.io.IOException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.restclient.test.autoconfigure.RestClientTest;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.test.web.client.ExpectedCount;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

/** Tests that load a part of an application: retries happen in all of them. */
@Tag("slow")
class SliceTests {

    /** For a bean that is in no slice, and for a class of another application. */
    private static final String KEYS_OF_OTHERS = """
            retryon.methods[dev.retryon.test.spring.SliceTests$Catalogue#items].max-attempts=5
            retryon.methods[com.acme.Other#send].max-attempts=5
            """;

    private static final String NO_BEAN = "retryon.methods has keys for classes that have no bean in this context:"
            + " com.acme.Other#send, dev.retryon.test.spring.SliceTests$Catalogue#items";

    @Nested
    @WebMvcTest(OrderController.class)
    @Import(OrderController.class)
    class WithoutTheKitWebMvcTest {

        @Autowired
        private MockMvcTester mvc;

        @Test
        void retriesMethodsOfControllers() {
            assertThat(mvc.get().uri("/quick")).hasStatusOk().hasBodyTextEqualTo("attempt 3");
        }
    }

    @Nested
    @WebMvcTest(OrderController.class)
    @Import(OrderController.class)
    @VirtualRetries
    class WithVirtualRetriesWebMvcTest {

        @Autowired
        private MockMvcTester mvc;

        @Autowired
        private RecordedRetries retries;

        @Test
        void recordsRetriesOfControllers() {
            assertThat(mvc.get().uri("/order")).hasStatusOk().hasBodyTextEqualTo("attempt 3");
            assertThat(retries)
                    .of("OrderController.order")
                    .attempted(3)
                    .waited(ofSeconds(1), ofSeconds(2))
                    .succeeded();
        }
    }

    @Nested
    @WebMvcTest(PaymentController.class)
    @Import(PaymentController.class)
    class WithAMockWebMvcTest {

        @Autowired
        private MockMvcTester mvc;

        @MockitoBean
        private Payments payments;

        @Test
        void startsWithoutTheBeansThatThePolicyNames() throws IOException {
            given(payments.pay()).willReturn("paid");

            assertThat(mvc.get().uri("/pay")).hasStatusOk().hasBodyTextEqualTo("paid");
        }
    }

    @Nested
    @WebFluxTest(OrderController.class)
    @Import(OrderController.class)
    class WithoutTheKitWebFluxTest {

        @Autowired
        private WebTestClient web;

        @Test
        void retriesMethodsOfControllers() {
            web.get()
                    .uri("/quick")
                    .exchangeSuccessfully()
                    .expectBody(String.class)
                    .isEqualTo("attempt 3");
        }
    }

    @Nested
    @DataJpaTest
    @Import(Ledger.class)
    class WithoutTheKitDataJpaTest {

        @Autowired
        private Ledger ledger;

        @Test
        void retriesMethodsThatReadAndWrite() throws IOException {
            assertThat(ledger.entries()).isEqualTo(3);
        }
    }

    @Nested
    @RestClientTest(Catalogue.class)
    @Import(Catalogue.class)
    @VirtualRetries
    class WithVirtualRetriesRestClientTest {

        @Autowired
        private Catalogue catalogue;

        @Autowired
        private MockRestServiceServer server;

        @Autowired
        private RecordedRetries retries;

        @Test
        void retriesMethodsOfClients() {
            server.expect(ExpectedCount.once(), requestTo("/items")).andRespond(withServerError());
            server.expect(ExpectedCount.once(), requestTo("/items"))
                    .andRespond(withSuccess("lamp", MediaType.TEXT_PLAIN));

            assertThat(catalogue.items()).isEqualTo("lamp");
            assertThat(retries).of("Catalogue.items").attempted(2).succeeded();
        }
    }

    @Nested
    @SpringJUnitConfig(OrderController.class)
    @VirtualRetries
    class WithVirtualRetriesSpringJUnitConfig {

        @Autowired
        private OrderController orders;

        @Autowired
        private RecordedRetries retries;

        @Test
        void bringsTheAutoConfigurationAlong() throws IOException {
            assertThat(orders.order()).isEqualTo("attempt 3");
            assertThat(retries).of("OrderController.order").attempted(3);
        }
    }

    @Nested
    @SpringJUnitConfig(OrderController.class)
    @AutoConfigureRetryOn
    class WithAutoConfigureRetryOnSpringJUnitConfig {

        @Autowired
        private OrderController orders;

        @Test
        void retries() throws IOException {
            assertThat(orders.quick()).isEqualTo("attempt 3");
        }
    }

    @Nested
    @JsonTest
    @Import(OrderController.class)
    @AutoConfigureRetryOn
    class WithAutoConfigureRetryOnJsonTest {

        @Autowired
        private OrderController orders;

        @Test
        void retries() throws IOException {
            assertThat(orders.quick()).isEqualTo("attempt 3");
        }
    }

    @Nested
    @ExtendWith(OutputCaptureExtension.class)
    @WebMvcTest(controllers = OrderController.class, properties = KEYS_OF_OTHERS)
    @Import(OrderController.class)
    class WithKeysOfOtherBeansWebMvcTest {

        @Autowired
        private MockMvcTester mvc;

        @Test
        void startsAndWarnsOfNothing(CapturedOutput output) {
            assertThat(mvc.get().uri("/quick")).hasStatusOk().hasBodyTextEqualTo("attempt 3");
            assertThat(output).contains(NO_BEAN).doesNotContain("RETRYON-W");
        }
    }

    @Nested
    @ExtendWith(OutputCaptureExtension.class)
    @DataJpaTest(properties = KEYS_OF_OTHERS)
    @Import(Ledger.class)
    class WithKeysOfOtherBeansDataJpaTest {

        @Autowired
        private Ledger ledger;

        @Test
        void startsAndWarnsOfNothing(CapturedOutput output) throws IOException {
            assertThat(ledger.entries()).isEqualTo(3);
            assertThat(output).contains(NO_BEAN).doesNotContain("RETRYON-W");
        }
    }

    @SpringBootConfiguration
    @AutoConfigurationPackage
    static class Application {}

    @RestController
    static class OrderController {

        @GetMapping("/order")
        @RetryOn(exceptions = IOException.class, jitter = "none")
        public String order() throws IOException {
            return thirdTime();
        }

        @GetMapping("/quick")
        @RetryOn(exceptions = IOException.class, delay = "0")
        public String quick() throws IOException {
            return thirdTime();
        }

        private static String thirdTime() throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new IOException("attempt " + attempt);
            }
            return "attempt " + attempt;
        }
    }

    @RestController
    static class PaymentController {

        private final Payments payments;

        PaymentController(Payments payments) {
            this.payments = payments;
        }

        @GetMapping("/pay")
        public String pay() throws IOException {
            return payments.pay();
        }
    }

    @Component
    static class Payments {

        @RetryOn(
                value = IOException.class,
                recover = "cash#pay",
                beforeRetry = "tokens#refresh",
                onlyIf = "@limits.allow(#error)")
        public String pay() throws IOException {
            throw new IOException("down");
        }
    }

    @Component
    static class Ledger {

        private final EntityManager entities;

        Ledger(EntityManager entities) {
            this.entities = entities;
        }

        @RetryOn(exceptions = IOException.class, delay = "0")
        public int entries() throws IOException {
            int attempt = RetryContext.current().attempt();
            Integer read = (Integer) entities.createNativeQuery("select " + attempt, Integer.class)
                    .getSingleResult();
            if (read < 3) {
                throw new IOException("attempt " + read);
            }
            return read;
        }
    }

    @Component
    static class Catalogue {

        private final RestClient client;

        Catalogue(RestClient.Builder builder) {
            this.client = builder.build();
        }

        @RetryOn(HttpServerErrorException.class)
        public String items() {
            return String.valueOf(client.get().uri("/items").retrieve().body(String.class));
        }
    }
}

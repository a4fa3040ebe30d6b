// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.quotes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withException;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withStatus;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.test.web.client.ResponseCreator;
import org.springframework.web.client.RestClient;

@SpringBootTest(properties = "retryon.defaults.jitter=none")
@VirtualRetries
class DifferentErrorsRecipeTests {

    private static final String URL = "https://partner.example.com/quotes/tea";

    @Autowired
    private Quotes quotes;

    @Autowired
    private MockRestServiceServer partner;

    @Autowired
    private RecordedRetries retries;

    @Test
    void aThrottledRequestWaitsLongerThanOneThatFoundNoServer() {
        answer(withStatus(HttpStatus.TOO_MANY_REQUESTS));
        answer(withException(new ConnectException("refused")));
        answer(withStatus(HttpStatus.SERVICE_UNAVAILABLE));
        answer(withSuccess("12", MediaType.TEXT_PLAIN));

        assertThat(quotes.quote("tea")).isEqualTo("12");

        assertThat(retries.time().waits())
                .as("the rule for 429, the rule for connections, and the policy")
                .containsExactly(Duration.ofSeconds(5), Duration.ofMillis(50), Duration.ofSeconds(2));
    }

    private void answer(ResponseCreator answer) {
        partner.expect(requestTo(URL)).andRespond(answer);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Quotes.class)
    static class Shop {

        private final RestClient.Builder builder = RestClient.builder();

        @Bean
        MockRestServiceServer partner() {
            return MockRestServiceServer.bindTo(builder).build();
        }

        @Bean
        RestClient.Builder restClientBuilder(MockRestServiceServer partner) {
            return builder;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.http.RetryClientHttpRequestInterceptor;
import dev.retryon.sample.outside.OutsideWorld;
import java.util.concurrent.Executor;
import org.springframework.boot.task.ThreadPoolTaskExecutorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** The beans of the shop, except its services. */
@Configuration(proxyBeanMethods = false)
class ShopConfiguration {

    /**
     * Creates a client that retries its requests, for which it needs only the interceptor. {@code retryon.http.enabled}
     * would make all of the shop's clients retry. Annotated methods call the other clients, so their attempts would
     * multiply.
     */
    @Bean
    ExchangeRates exchangeRates(
            RestClient.Builder builder, OutsideWorld outside, RetryClientHttpRequestInterceptor retrying) {
        RestClient client = builder.baseUrl(outside.url("payment"))
                .requestInterceptor(retrying.named("rates"))
                .build();
        return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
                .build()
                .createClient(ExchangeRates.class);
    }

    /** Runs retries of asynchronous methods. One thread is enough, because no call waits on it. */
    @Bean(defaultCandidate = false)
    Executor retryOnTaskExecutor(ThreadPoolTaskExecutorBuilder builder) {
        return builder.corePoolSize(1)
                .allowCoreThreadTimeOut(false)
                .threadNamePrefix("retry-")
                .build();
    }
}

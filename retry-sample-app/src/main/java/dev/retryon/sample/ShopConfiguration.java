/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
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

/** What the shop needs beside its services. */
@Configuration(proxyBeanMethods = false)
class ShopConfiguration {

    /**
     * A client that retries, one line of it. {@code retryon.http.enabled} would do it for every client of the shop; the others
     * are called by annotated methods, and attempts would multiply.
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

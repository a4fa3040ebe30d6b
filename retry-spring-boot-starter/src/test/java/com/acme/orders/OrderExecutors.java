// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import java.util.concurrent.Executor;
import org.springframework.boot.task.ThreadPoolTaskExecutorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A pool of one's own for later attempts. */
@Configuration(proxyBeanMethods = false)
public class OrderExecutors {

    @Bean(defaultCandidate = false)
    Executor retryOnTaskExecutor(ThreadPoolTaskExecutorBuilder builder) {
        return builder.corePoolSize(4).threadNamePrefix("retry-").build();
    }
}

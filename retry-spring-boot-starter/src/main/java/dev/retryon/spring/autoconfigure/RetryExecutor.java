/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs later attempts of asynchronous calls: on the bean {@code retryOnTaskExecutor} if there is one, else on Boot's
 * {@code applicationTaskExecutor}, else on the common pool. Looked up when first needed.
 */
final class RetryExecutor implements Executor {

    private final Supplier<Executor> executor;

    RetryExecutor(BeanFactory beanFactory) {
        this.executor = SingletonSupplier.of(() -> find(beanFactory, "retryOnTaskExecutor", "applicationTaskExecutor"));
    }

    private static Executor find(BeanFactory beanFactory, String... names) {
        for (String name : names) {
            if (beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, Executor.class)) {
                return beanFactory.getBean(name, Executor.class);
            }
        }
        // The common pool, or a new thread for each task where that pool has no threads of its own to speak of.
        return new CompletableFuture<>().defaultExecutor();
    }

    @Override
    public void execute(Runnable task) {
        executor.get().execute(task);
    }
}

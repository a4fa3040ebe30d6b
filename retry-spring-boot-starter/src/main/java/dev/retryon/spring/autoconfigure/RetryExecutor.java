// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.settings.LookUp;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * Runs later attempts of asynchronous calls: on the bean {@code retryOnTaskExecutor} if there is one, else on Boot's
 * {@code applicationTaskExecutor}, else on the common pool. Looked up when first needed.
 */
final class RetryExecutor {

    private static final String OWN = "retryOnTaskExecutor";

    private RetryExecutor() {}

    static Executor in(BeanFactory beanFactory) {
        LookUp<Executor> executor = new LookUp<>(() -> {
            Executor found = find(beanFactory, OWN, "applicationTaskExecutor");
            // The common pool, or a new thread for each task where that pool has a single thread.
            return found != null ? found : new CompletableFuture<>().defaultExecutor();
        });
        return task -> executor.get().execute(task);
    }

    /** The executor that the application has for retries alone; gives {@code null} if there is none. */
    static Supplier<@Nullable Executor> own(BeanFactory beanFactory) {
        // Absence is kept too, because the style of futures asks for each future that is not done yet.
        LookUp<Optional<Executor>> own = new LookUp<>(() -> Optional.ofNullable(find(beanFactory, OWN)));
        return () -> own.get().orElse(null);
    }

    private static @Nullable Executor find(BeanFactory beanFactory, String... names) {
        for (String name : names) {
            if (beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, Executor.class)) {
                return beanFactory.getBean(name, Executor.class);
            }
        }
        return null;
    }
}

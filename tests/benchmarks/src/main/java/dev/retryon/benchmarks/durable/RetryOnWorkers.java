// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import dev.retryon.durable.internal.call.DurableLifecycle;
import java.util.function.Consumer;
import org.springframework.context.ApplicationContext;

final class RetryOnWorkers implements Workers {

    private final Orders orders;

    private final DurableLifecycle lifecycle;

    private final Consumer<String> asking;

    private RetryOnWorkers(ApplicationContext context, Consumer<String> asking) {
        this.orders = context.getBean(Orders.class);
        this.lifecycle = context.getBean(DurableLifecycle.class);
        this.asking = asking;
    }

    static Workers of(ApplicationContext context) {
        return of(context, context.getBean(Orders.class)::accept);
    }

    static Workers of(ApplicationContext context, Consumer<String> asking) {
        return new RetryOnWorkers(context, asking);
    }

    @Override
    public void begin() {
        lifecycle.start();
    }

    @Override
    public void end() {
        lifecycle.stop();
    }

    @Override
    public void ask(String order) {
        asking.accept(order);
    }

    @Override
    public long askLater(String order) throws Exception {
        orders.retry(order);
        return orders.dueOf(order);
    }
}

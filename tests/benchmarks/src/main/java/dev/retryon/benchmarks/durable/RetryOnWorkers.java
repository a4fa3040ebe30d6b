// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import dev.retryon.durable.internal.call.DurableLifecycle;
import org.springframework.context.ApplicationContext;

/** RetryOn's durable methods. */
final class RetryOnWorkers implements Workers {

    private final Orders orders;

    private final DurableLifecycle lifecycle;

    private RetryOnWorkers(Orders orders, DurableLifecycle lifecycle) {
        this.orders = orders;
        this.lifecycle = lifecycle;
    }

    /** Those of an application, which run calls until they end. */
    static Workers of(ApplicationContext context) {
        return new RetryOnWorkers(context.getBean(Orders.class), context.getBean(DurableLifecycle.class));
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
        orders.accept(order);
    }

    @Override
    public long askLater(String order) throws Exception {
        orders.retry(order);
        return orders.dueOf(order);
    }
}

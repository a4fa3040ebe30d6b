// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Call;
import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/** The running application, and calls to its beans. */
public final class ProxyContext implements AutoCloseable {

    private static @Nullable ProxyContext shared;

    private final ConfigurableApplicationContext context;

    private ProxyContext(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts the application as a bean wants it.
     *
     * @param proxied the bean
     * @return the running application
     */
    public static ProxyContext startFor(Proxied proxied) {
        return new ProxyContext(ProxyApplication.start(proxied));
    }

    /** Returns the application of this JVM, which measures one bean only. */
    static synchronized ProxyContext shared(Proxied proxied) {
        if (shared == null) {
            shared = startFor(proxied);
        }
        return shared;
    }

    /**
     * Prepares a call and makes it once, to see that it does what it says.
     *
     * @param proxied the bean to call
     * @param scenario how the attempts go
     * @return the call
     */
    public Call call(Proxied proxied, Scenario scenario) {
        Probe probe = new Probe();
        Call call = new Call(scenario, probe, Calls.action(bean(proxied), scenario, probe));
        call.check(proxied.name());
        return call;
    }

    Calls bean(Proxied proxied) {
        return context.getBean(proxied.type().getName(), proxied.type());
    }

    NoTransactions transactions() {
        return context.getBean(NoTransactions.class);
    }

    @Override
    public void close() {
        context.close();
    }
}

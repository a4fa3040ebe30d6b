/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Call;
import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.spring.internal.control.RuntimeChange;
import dev.retryon.spring.internal.control.RuntimeSettings;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/** The running application, and calls to its beans. */
public final class ProxyContext implements AutoCloseable {

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
        ConfigurableApplicationContext context = ProxyApplication.start(proxied);
        if (proxied.isOperated()) {
            operate(context.getBean(RuntimeSettings.class));
        }
        return new ProxyContext(context);
    }

    /** Changes nothing that a call would show. */
    private static void operate(RuntimeSettings settings) {
        RuntimeChange.Target everything = new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false);
        settings.change(everything, Map.of("retryable", "false"), null, "operator");
        settings.takeBack(everything, "operator");
        settings.change(everything, Map.of("maxDelay", "10s"), null, "operator");
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

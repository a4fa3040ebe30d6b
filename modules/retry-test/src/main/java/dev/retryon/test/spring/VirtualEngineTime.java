// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import dev.retryon.RetryEngine;
import dev.retryon.RetryEngineBuilder;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.test.VirtualTime;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Makes the auto-configured engine use virtual time. Fails the start-up if retries would wait in real time or not run. */
final class VirtualEngineTime implements RetryEngineCustomizer, SmartInitializingSingleton {

    private final VirtualTime time;

    private final ObjectProvider<RetryEngine> engines;

    private volatile boolean applied;

    VirtualEngineTime(VirtualTime time, ObjectProvider<RetryEngine> engines) {
        this.time = time;
        this.engines = engines;
    }

    @Override
    public void customize(RetryEngineBuilder engine) {
        time.applyTo(engine);
        applied = true;
    }

    @Override
    public void afterSingletonsInstantiated() {
        long found = engines.stream().count();
        if (applied) {
            return;
        }
        throw new IllegalStateException(
                found == 0
                        ? "@VirtualRetries needs the auto-configuration of @RetryOn, which this context does not have."
                                + " Either the property retryon.enabled is false, or the auto-configuration is excluded."
                        : "@VirtualRetries cannot reach the RetryEngine of this context: the application defines that bean"
                                + " itself, without applying the beans of type RetryEngineCustomizer.");
    }
}

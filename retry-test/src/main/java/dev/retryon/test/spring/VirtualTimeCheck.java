/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.test.spring;

import dev.retryon.RetryEngine;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Fails the start of a test context if retries would wait in real time or not run. */
final class VirtualTimeCheck implements SmartInitializingSingleton {

    private final VirtualEngineTime time;

    private final ObjectProvider<RetryEngine> engines;

    VirtualTimeCheck(VirtualEngineTime time, ObjectProvider<RetryEngine> engines) {
        this.time = time;
        this.engines = engines;
    }

    @Override
    public void afterSingletonsInstantiated() {
        long found = engines.stream().count();
        if (time.isApplied()) {
            return;
        }
        throw new IllegalStateException(
                found == 0
                        ? "@VirtualRetries needs the auto-configuration of @RetryOn, and this context does not have it."
                                + " Either the property retryon.enabled is false, or the auto-configuration is excluded."
                        : "@VirtualRetries cannot reach the RetryEngine of this context: the application defines that bean"
                                + " itself, without applying the beans of type RetryEngineCustomizer.");
    }
}

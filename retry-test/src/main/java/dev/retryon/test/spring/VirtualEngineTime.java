/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.test.spring;

import dev.retryon.RetryEngineBuilder;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.test.VirtualTime;

/** Makes the engine of the auto-configuration live in virtual time. */
final class VirtualEngineTime implements RetryEngineCustomizer {

    private final VirtualTime time;

    private volatile boolean applied;

    VirtualEngineTime(VirtualTime time) {
        this.time = time;
    }

    @Override
    public void customize(RetryEngineBuilder engine) {
        time.applyTo(engine);
        applied = true;
    }

    /** Whether an engine has been built in this time. */
    boolean isApplied() {
        return applied;
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import dev.retryon.RetryEngine;
import dev.retryon.RetryEngineBuilder;

/**
 * A bean that changes how the application's {@link RetryEngine} is built, after everything else has been set: time, chance,
 * the executor of asynchronous calls. Several are applied in order.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryEngineCustomizer {

    /**
     * Changes the engine.
     *
     * @param engine the builder, with listeners, deciders and error codes of the application added
     */
    void customize(RetryEngineBuilder engine);
}

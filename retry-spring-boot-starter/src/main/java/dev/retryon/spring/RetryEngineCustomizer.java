// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.RetryEngine;
import dev.retryon.RetryEngineBuilder;

/**
 * Customizes the application's {@link RetryEngine}, for example its clock, its random source, or the executor of
 * asynchronous calls. Define a bean of this type. If several exist, they are applied in order, after all other
 * settings.
 *
 * <pre>{@code
 * RetryEngineCustomizer executor = engine -> engine.executor(partnerExecutor);
 * }</pre>
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryEngineCustomizer {

    /**
     * Changes the settings of the engine.
     *
     * @param engine the builder, which already has the listeners, deciders and error codes of the application
     */
    void customize(RetryEngineBuilder engine);
}

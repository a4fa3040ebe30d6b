/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.settings.EffectiveSettings;
import java.util.Map;

/**
 * A client that retries its requests, as the endpoint shows it.
 *
 * @since 0.1.0
 */
public interface RetriedClient {

    /**
     * The name in meters, events and logs.
     *
     * @return such as {@code http catalogue}
     */
    String name();

    /**
     * The policy of its requests.
     *
     * @return the policy
     */
    RetryPolicy policy();

    /**
     * The effective settings, those of the policy and those that only clients have.
     *
     * @return values with their sources, by attribute
     */
    Map<String, EffectiveSettings.Value<?>> settings();
}

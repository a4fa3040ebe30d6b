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
 * @param name the name in meters, events and logs, such as {@code http catalogue}
 * @param policy the policy of its requests
 * @param settings the effective settings with their sources, those of the policy and those that only clients have
 * @since 0.1.0
 */
public record RetriedClient(String name, RetryPolicy policy, Map<String, EffectiveSettings.Value<?>> settings) {}

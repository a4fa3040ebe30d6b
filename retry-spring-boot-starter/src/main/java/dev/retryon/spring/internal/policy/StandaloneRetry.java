// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import java.util.Map;

/**
 * A retry that is no method's: that of an HTTP client, or one that code got from the registry.
 *
 * @param name the name in meters, events and logs, such as {@code http catalogue}
 * @param policy the policy of its calls
 * @param settings the effective settings with their sources by attribute, those of the policy and those that only clients
 *     have; those of a policy that was built in code have that as their source
 */
public record StandaloneRetry(String name, RetryPolicy policy, Map<String, EffectiveSettings.Value<?>> settings) {}

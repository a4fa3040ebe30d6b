// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import org.jspecify.annotations.Nullable;

/**
 * An application event that is published when an operator changes settings at run time or reverts a change, or when a
 * change expires.
 *
 * @param path the name to which the change applies, which can begin with a kind such as {@code policies/} or
 *     {@code budgets/}; empty for all retries
 * @param by the user who made the change; {@code null} if the user is unknown or the change has expired
 * @param description a description of the change
 * @since 0.1.0
 */
public record RetrySettingsChanged(String path, @Nullable String by, String description) {}

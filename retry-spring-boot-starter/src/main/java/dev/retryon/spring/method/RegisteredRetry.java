/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.Retry;
import dev.retryon.spring.settings.EffectiveSettings;

/**
 * A retry that code got from the registry, as the endpoint shows it.
 *
 * @param retry the retry
 * @param settings the settings of its policy; those of a policy that was built in code have that as their source
 * @since 0.1.0
 */
public record RegisteredRetry(Retry retry, EffectiveSettings settings) {}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import org.jspecify.annotations.Nullable;

/**
 * An operator has changed settings while the application runs, has taken a change back, or the time of a change is over. An
 * event of the application context.
 *
 * @param path what was changed: a name, {@code policies/} or {@code budgets/} with a name, or empty for everything
 * @param by who did it; {@code null} if that is not known, or if the time of a change was over
 * @param description the change in words
 * @since 0.1.0
 */
public record RetrySettingsChanged(String path, @Nullable String by, String description) {}

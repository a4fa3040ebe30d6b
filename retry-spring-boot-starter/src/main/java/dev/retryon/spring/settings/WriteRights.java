/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import org.jspecify.annotations.Nullable;

/**
 * A store that can tell whether it may be written.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface WriteRights {

    /**
     * Looks for a right that the store certainly lacks.
     *
     * @return what is missing and what to do about it; {@code null} if nothing is, or if the store can't tell now
     */
    @Nullable String missingRight();
}

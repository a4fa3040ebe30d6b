/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.store;

import org.jspecify.annotations.Nullable;

/** A store that can tell whether it may be written. */
@FunctionalInterface
public interface WriteRights {

    /**
     * A right that the user of the store certainly lacks, and how to grant it; {@code null} if there is none,
     * or if the store can't check it now.
     */
    @Nullable String missingRight();
}

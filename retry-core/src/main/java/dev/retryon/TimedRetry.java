/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/** A retry that waits for its time. */
abstract class TimedRetry extends TimedTask implements PendingRetry {

    /** What a lent timer gave for this wait. */
    volatile RetryTimer.@Nullable Handle handle;
}

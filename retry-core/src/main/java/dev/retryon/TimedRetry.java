// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/** A retry that waits for its time. It is its own entry in the timer, which saves an object for each waiting call. */
abstract class TimedRetry extends TimedTask implements PendingRetry {

    /** The handle that an external timer returned for this wait. */
    volatile RetryTimer.@Nullable Handle handle;
}

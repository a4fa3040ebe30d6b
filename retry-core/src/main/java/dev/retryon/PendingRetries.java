// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The waiting asynchronous calls of an engine, so that shutdown and switches can end them. A timer or an executor may
 * drop its tasks without running them.
 */
final class PendingRetries {

    private final Set<PendingRetry> pending = ConcurrentHashMap.newKeySet();

    void add(PendingRetry retry) {
        pending.add(retry);
    }

    void remove(PendingRetry retry) {
        pending.remove(retry);
    }

    /** Ends the waits of some calls, and returns these calls. */
    List<PendingRetry> claim(Predicate<PendingRetry> which) {
        List<PendingRetry> claimed = new ArrayList<>(pending);
        claimed.removeIf(retry -> !which.test(retry) || !retry.claim());
        return claimed;
    }
}

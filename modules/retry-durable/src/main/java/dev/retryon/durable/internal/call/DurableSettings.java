// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How durable calls are stored and run: {@code retryon.durable}.
 *
 * @param outboxApart whether calls with the mode {@code OUTBOX} and retries that join may be stored outside the caller's
 *     transaction if the store can't take part in it
 * @param attemptTimeout the limit of an attempt that a worker runs, if neither the method nor the call sets one; zero for none
 * @param version what tells builds of the application apart; empty if it is not known
 * @param shownVersion the version of the application for people; empty if it is not known
 */
public record DurableSettings(
        boolean joinCallers,
        boolean outboxApart,
        Duration unresolvedAfter,
        Duration attemptTimeout,
        Lanes lanes,
        long maxArgumentBytes,
        String version,
        String shownVersion) {

    /** The limit of an attempt that a worker runs; {@code null} for none. A method or a call that sets zero has none. */
    @Nullable Duration attemptTimeout(RetriedMethod method, RetrySettings override) {
        Duration limit = override.get(Setting.ATTEMPT_TIMEOUT);
        if (limit == null) {
            limit = method.settings().get(Setting.ATTEMPT_TIMEOUT);
        }
        if (limit == null) {
            limit = attemptTimeout;
        }
        return limit.isZero() ? null : limit;
    }

    /** In which transaction the retry of a call is stored: {@code retryon.durable.transaction}. */
    public enum Transaction {
        /** In one of its own, which outlives that of the caller. */
        REQUIRES_NEW,

        /** In that of the caller if there is one: if it is rolled back, the call is not retried. */
        JOIN
    }

    /**
     * How the engine with a database works.
     *
     * @param pollInterval how often it looks for calls that are due; calls that were stored here, and that are due within that time,
     *     start on time in any case
     * @param shutdownWait how long running calls are waited for before they are interrupted, and again after that
     */
    public record Engine(Lanes lanes, Duration pollInterval, Duration heartbeatInterval, Duration shutdownWait) {}
}

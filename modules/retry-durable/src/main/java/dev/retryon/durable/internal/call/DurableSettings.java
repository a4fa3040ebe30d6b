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
 * @param outboxApart whether calls with the mode {@code OUTBOX} and retries that join may be stored outside the
 *     caller's transaction if the store cannot take part in it
 * @param attemptTimeout the limit of an attempt on a worker, unless the method or the call sets one; zero for none
 * @param pollInterval how often a database is searched for due calls; calls that were stored here and are due within this
 *     time always start on time
 * @param shutdownWait how long shutdown waits for running calls before they are interrupted, and again after that
 * @param version a text that distinguishes builds of the application; empty if it is unknown
 * @param shownVersion the readable version of the application; empty if it is unknown
 */
public record DurableSettings(
        boolean joinCallers,
        boolean outboxApart,
        Duration unresolvedAfter,
        Duration attemptTimeout,
        Lanes lanes,
        Duration pollInterval,
        Duration heartbeatInterval,
        Duration shutdownWait,
        long maxArgumentBytes,
        String version,
        String shownVersion) {

    /** Returns the limit of an attempt on a worker; {@code null} for none, such as if the method or the call sets zero. */
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

    /** The transaction in which the retry of a call is stored: {@code retryon.durable.transaction}. */
    public enum Transaction {
        /** A separate transaction, which is independent of the caller's transaction. */
        REQUIRES_NEW,

        /** The caller's transaction, if one is active. If it is rolled back, the call is not retried. */
        JOIN
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.deadletter.DeadLetter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Stores the calls of dead letters as durable calls, which survive the process and which any process can run. Thread-safe. */
public interface Resending {

    /** Returns why no call can be resent now, as a part of a sentence; {@code null} if calls can be resent. */
    @Nullable String obstacle();

    /**
     * Stores the call of a dead letter. When the call has ended, the dead letter gets its result.
     *
     * @param delay the time to wait before the call runs
     * @param by the person who resends it; {@code null} if unknown
     * @return {@code false} if the dead letter is not dead any more, or if its call can't run; in the second case it is {@link
     *     dev.retryon.StopReason#UNRESOLVABLE}
     */
    boolean resend(DeadLetter letter, Duration delay, @Nullable String by);
}

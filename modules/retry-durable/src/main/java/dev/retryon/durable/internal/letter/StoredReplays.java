// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.time.Duration;
import java.util.function.Predicate;

/** Runs the calls of dead letters as stored calls, which survive the process and which any node runs. Thread-safe. */
public interface StoredReplays {

    /**
     * Returns whether the call of a dead letter of a durable method can be stored.
     *
     * @return {@code false} if calls and dead letters are not stored in one database, or if the arguments are too long
     */
    boolean isFor(DeadLetter letter);

    /**
     * Takes a dead letter and stores its call, in one transaction. When the call has ended, the dead letter gets its result.
     *
     * @param take takes the dead letter for a hold; returns {@code false} if that is not possible
     * @return {@code false} if the dead letter was not taken; nothing is stored then
     */
    boolean store(DeadLetter letter, RetriedMethod method, Duration delay, Predicate<DeadLetterStore.Hold> take);
}

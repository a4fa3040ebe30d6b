// SPDX-License-Identifier: Apache-2.0
package dev.retryon.deadletter;

import dev.retryon.DeadLetterQueue;
import dev.retryon.FailedCall;
import java.time.Clock;
import java.util.Objects;

/**
 * Keeps failed calls in a {@link DeadLetterStore}, without their arguments. It is for code without Spring, where a
 * call is a lambda.
 *
 * <pre>{@code
 * DeadLetterStore store = new InMemoryDeadLetterStore();
 * RetryEngine engine = RetryEngine.builder().deadLetters(new DeadLetterRecorder(store)).build();
 * }</pre>
 *
 * @since 0.1.0
 */
public final class DeadLetterRecorder implements DeadLetterQueue {

    private final DeadLetterStore store;

    private final Clock clock;

    /**
     * Creates a queue that keeps calls in a store.
     *
     * @param store the store
     */
    public DeadLetterRecorder(DeadLetterStore store) {
        this(store, Clock.systemUTC());
    }

    /**
     * Creates a queue that keeps calls in a store.
     *
     * @param store the store
     * @param clock the clock for {@link DeadLetter#diedAt()}
     */
    public DeadLetterRecorder(DeadLetterStore store, Clock clock) {
        this.store = Objects.requireNonNull(store, "store");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    @Override
    public void add(FailedCall call) {
        store.put(DeadLetter.of(call, null, null, null, null, clock.instant()));
    }
}

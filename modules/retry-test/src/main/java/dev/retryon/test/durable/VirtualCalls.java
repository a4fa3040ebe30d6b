// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.backoff.DurationText;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.DefaultStoredCalls;
import java.time.Duration;
import java.util.List;

/**
 * The durable calls of a test with {@link VirtualDurableCalls}. The calls run one after another on the thread of the
 * test, when the test calls {@link #advance} or {@link #runDue}. To find and change them, use the bean
 * {@link StoredCalls}, as in production. Thread-safe.
 *
 * <pre>{@code
 * mails.send("a@acme.com"); // fails, so it is stored
 * assertThat(calls.waiting()).extracting(StoredCalls.Summary::name).containsExactly("Mails.send");
 * calls.advance(ofMinutes(5));
 * assertThat(calls.waiting()).isEmpty();
 * }</pre>
 *
 * @since 0.1.0
 */
public final class VirtualCalls {

    private final InMemoryCallEngine engine;

    VirtualCalls(InMemoryCallEngine engine) {
        this.engine = engine;
    }

    /**
     * Returns the stored calls that are not running. A call that was stored in a transaction is included after the
     * commit.
     *
     * @return the calls in the order in which they become due
     */
    public List<StoredCalls.Summary> waiting() {
        return engine.waiting();
    }

    /**
     * Runs the calls that are due now, in the order of their due times. If a call becomes due again at the current
     * time, it runs again.
     *
     * @return the number of calls that ran
     * @throws IllegalStateException if calls cannot run: within a transaction, within another stored call, or if the
     *     application is not running or sets {@code retryon.durable.threads=0}
     */
    public int runDue() {
        return engine.run(Duration.ZERO);
    }

    /**
     * Advances the virtual time, and runs each call that becomes due at its due time.
     *
     * @param by the duration by which to advance, not negative
     * @return the number of calls that ran
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException under the same conditions as in {@link #runDue()}
     */
    public int advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("Virtual time cannot go back, but the duration is '"
                    + DurationText.print(by) + "'; use a positive duration");
        }
        return engine.run(by);
    }

    /**
     * Returns the dead letters of the application.
     *
     * @return all dead letters with their arguments, the newest first
     */
    public List<StoredCall> deadLetters() {
        return engine.letters().stream().map(DefaultStoredCalls::died).toList();
    }

    /** Removes all stored calls and dead letters. Use this method between tests that share a context. */
    public void clear() {
        engine.clear();
    }

    @Override
    public String toString() {
        return waiting().toString();
    }
}

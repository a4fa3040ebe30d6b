// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.backoff.DurationText;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.DefaultStoredCalls;
import java.time.Duration;
import java.util.List;

/**
 * The durable calls of a test with {@link VirtualDurableCalls}. They run on the thread of the test, one after the other,
 * when it calls {@link #advance} or {@link #runDue}. The bean {@link StoredCalls} finds and changes them, as in production.
 * Thread-safe.
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
     * Returns the stored calls that do not run. A call that was stored in a transaction is included after its commit.
     *
     * @return the calls in the order in which they become due
     */
    public List<StoredCalls.Summary> waiting() {
        return engine.waiting();
    }

    /**
     * Runs the calls that are due now, in the order of their due times. A call that becomes due again now runs again.
     *
     * @return the number of calls that ran
     * @throws IllegalStateException if calls cannot run: within a transaction, within another stored call, or if the
     *     application is not running or sets {@code retryon.durable.threads=0}
     */
    public int runDue() {
        return engine.run(Duration.ZERO);
    }

    /**
     * Advances the virtual time, and runs the calls that become due. Each of them runs at its due time.
     *
     * @param by the duration, not negative
     * @return the number of calls that ran
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException as {@link #runDue()}
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
     * @return all of them with their arguments, the newest first
     */
    public List<StoredCall> deadLetters() {
        return engine.letters().stream().map(DefaultStoredCalls::died).toList();
    }

    /** Removes all stored calls and dead letters. Use this between tests that share a context. */
    public void clear() {
        engine.clear();
    }

    @Override
    public String toString() {
        return waiting().toString();
    }
}

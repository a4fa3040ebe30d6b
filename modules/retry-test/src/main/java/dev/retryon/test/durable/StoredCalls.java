// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The durable calls of a test with {@link VirtualDurableCalls}. They run on the thread of the test, one after the other,
 * when it calls {@link #advance} or {@link #runDue}. Thread-safe.
 *
 * <pre>{@code
 * mails.send("a@acme.com"); // fails, so it is stored
 * assertThat(calls.waiting()).extracting(StoredCalls.Call::name).containsExactly("Mails.send");
 * calls.advance(ofMinutes(5));
 * assertThat(calls.waiting()).isEmpty();
 * }</pre>
 *
 * @since 0.1.0
 */
public final class StoredCalls {

    private static final int PAGE = 100;

    private final InMemoryCallEngine engine;

    StoredCalls(InMemoryCallEngine engine) {
        this.engine = engine;
    }

    /**
     * A stored call that waits for its next attempt.
     *
     * @param id the id of the call
     * @param name the name of the method, as in events and meters
     * @param errorType the class of the last error; {@code null} if no attempt has failed, or if it returned a value that must be
     *     retried
     * @param lane the lane
     * @param attempt the number of attempts that have run
     * @param startedAt when the first attempt ran, or when the call was stored before its first attempt
     * @param due when the next attempt is due
     */
    public record Call(
            String id,
            String name,
            @Nullable String errorType,
            String lane,
            int attempt,
            Instant startedAt,
            Instant due) {}

    /**
     * Returns the stored calls that do not run. A call that was stored in a transaction is included after its commit.
     *
     * @return the calls, those that are due next first
     */
    public List<Call> waiting() {
        return engine.waiting();
    }

    /**
     * Runs the calls that are due now, in the order of their due times. A call that becomes due again now runs again.
     *
     * @return the number of calls that ran
     * @throws IllegalStateException if calls can't run: within a transaction, within another stored call, or if the
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
            throw new IllegalArgumentException("Virtual time can't go back, but the duration is '"
                    + DurationText.print(by) + "'; use a positive duration");
        }
        return engine.run(by);
    }

    /**
     * Returns the dead letters of the application.
     *
     * @return all of them with their arguments, the newest first
     */
    public List<DeadLetter> deadLetters() {
        DeadLetterStore store = engine.letters();
        List<DeadLetter> all = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            DeadLetters.Page page = store.list(DeadLetterFilter.ALL, cursor, PAGE);
            page.letters().forEach(listed -> store.find(listed.id()).ifPresent(all::add));
            cursor = page.next();
        } while (cursor != null);
        return all;
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

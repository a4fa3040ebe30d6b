// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test;

import dev.retryon.RetryEngineBuilder;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AssertProvider;

/**
 * Records the calls that are retried or fail, and their virtual time. A call that succeeds immediately is
 * not recorded. Pass an instance to AssertJ's {@code assertThat}.
 *
 * <p>In a Spring test, {@code @VirtualRetries} provides a bean of this type. In plain Java, create it yourself:
 *
 * <pre>{@code
 * RecordedRetries retries = RecordedRetries.create();
 * Retry retry = Retry.builder("catalogue", policy).engine(retries.engine().build()).build();
 * …
 * assertThat(retries).of("catalogue").attempted(3).waited(ofSeconds(1), ofSeconds(2)).succeeded();
 * }</pre>
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class RecordedRetries implements RetryListener, AssertProvider<RecordedRetriesAssert> {

    private final VirtualTime time;

    private final Map<String, RecordedCall> calls = new LinkedHashMap<>();

    private RecordedRetries(VirtualTime time) {
        this.time = time;
    }

    /**
     * Creates a recorder with its own virtual time, where calls do not wait.
     *
     * @return a new recorder
     * @see VirtualTime#immediate()
     */
    public static RecordedRetries create() {
        return in(VirtualTime.immediate());
    }

    /**
     * Creates a recorder with a given virtual time.
     *
     * @param time the time
     * @return a new recorder
     */
    public static RecordedRetries in(VirtualTime time) {
        return new RecordedRetries(time);
    }

    /**
     * Returns a builder for an engine that uses the virtual time of this recorder and records its calls here.
     *
     * @return a new builder
     * @see VirtualTime#engine()
     */
    public RetryEngineBuilder engine() {
        return time.engine().listener(this);
    }

    /**
     * Returns the virtual time of the calls.
     *
     * @return the same instance on every call
     */
    public VirtualTime time() {
        return time;
    }

    @Override
    public synchronized void onEvent(RetryEvent event) {
        calls.computeIfAbsent(event.callId(), id -> new RecordedCall(event.name()))
                .add(event);
    }

    /**
     * Returns the calls with the given name.
     *
     * @param name the name, such as {@code PaymentService.charge}
     * @return the calls in the order of their first failures
     */
    public synchronized List<RecordedCall> calls(String name) {
        return calls.values().stream().filter(call -> call.name().equals(name)).toList();
    }

    /**
     * Returns all calls.
     *
     * @return the calls in the order of their first failures
     */
    public synchronized List<RecordedCall> calls() {
        return List.copyOf(calls.values());
    }

    /** Removes all calls. Use this method between tests that share a context. */
    public synchronized void clear() {
        calls.clear();
        time.clearWaits();
    }

    /**
     * Advances the virtual time, as if an attempt had taken this long. Elapsed times and the {@code timeout} include
     * this duration.
     *
     * @param duration the duration of the attempt, zero or more
     */
    public void advance(Duration duration) {
        time.advance(duration);
    }

    @Override
    public RecordedRetriesAssert assertThat() {
        return new RecordedRetriesAssert(this);
    }

    @Override
    public String toString() {
        return calls().toString();
    }
}

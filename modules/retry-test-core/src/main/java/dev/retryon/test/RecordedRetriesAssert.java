// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test;

import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the calls that were retried or that failed.
 *
 * @since 0.1.0
 */
public final class RecordedRetriesAssert extends AbstractAssert<RecordedRetriesAssert, RecordedRetries> {

    RecordedRetriesAssert(RecordedRetries actual) {
        super(actual, RecordedRetriesAssert.class);
    }

    /**
     * Returns assertions about the latest call with the given name.
     *
     * @param name the name, such as {@code PaymentService.charge}
     * @return assertions about that call
     * @throws AssertionError if no call with that name was retried or failed
     */
    public RecordedCallAssert of(String name) {
        List<RecordedCall> calls = actual.calls(name);
        if (calls.isEmpty()) {
            throw failure(
                    "Expected a call to <%s> that was retried or failed, but the recorded calls are: %s", name, actual);
        }
        return new RecordedCallAssert(calls.get(calls.size() - 1)).describedAs(name);
    }

    /**
     * Verifies the number of calls with the given name that were retried or that failed.
     *
     * @param name the name
     * @param expected the expected number of calls
     * @return this
     */
    public RecordedRetriesAssert hasCalls(String name, int expected) {
        int found = actual.calls(name).size();
        if (found != expected) {
            throw failure(
                    "Expected %s calls to <%s> that were retried or failed, but there were %s", expected, name, found);
        }
        return this;
    }

    /**
     * Verifies that no call was retried or failed.
     *
     * @return this
     */
    public RecordedRetriesAssert isEmpty() {
        if (!actual.calls().isEmpty()) {
            throw failure("Expected no call that was retried or failed, but there were: %s", actual);
        }
        return this;
    }
}

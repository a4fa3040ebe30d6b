// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import org.jspecify.annotations.Nullable;

/** Observes the attempts of retried methods. Thread-safe. Failures of the observer do not affect an attempt. */
public interface AttemptObserver {

    /**
     * Runs an attempt and observes it until its result is complete.
     *
     * @param number the number of the attempt, from 1
     * @param later whether the result may complete after the method has returned
     * @return the value that the method returned, or a value of the same type that completes in the same way
     */
    @Nullable Object observe(RetriedMethod method, int number, boolean later, Attempt attempt) throws Throwable;

    /** Calls the method. */
    @FunctionalInterface
    interface Attempt {

        @Nullable Object run() throws Throwable;
    }
}

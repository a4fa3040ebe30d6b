// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

import dev.retryon.spring.internal.report.RetryFaults;

/** A block of properties that checks its own values when they are bound. */
@FunctionalInterface
public interface CheckedProperties {

    /**
     * Records each value that is out of bounds, and restores its default, which applies if {@code retryon.checks} is {@code
     * warn}.
     */
    void check(RetryFaults faults);
}

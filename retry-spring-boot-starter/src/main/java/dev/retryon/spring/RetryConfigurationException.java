// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown if annotations or properties of the application have faults. The message lists all of them.
 *
 * @since 0.1.0
 */
public final class RetryConfigurationException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient List<RetryFault> faults;

    /**
     * Creates the exception.
     *
     * @param faults the faults, at least one
     */
    public RetryConfigurationException(List<RetryFault> faults) {
        super(RetryFault.joined(faults).stream()
                .map(RetryFault::toString)
                .collect(Collectors.joining("\n- ", "Invalid retry configuration:\n- ", "")));
        this.faults = List.copyOf(RetryFault.joined(faults));
    }

    /**
     * Returns the faults. If a property is wrong for several methods in the same way, this counts as one
     * fault.
     *
     * @return at least one fault
     */
    public List<RetryFault> faults() {
        return faults;
    }
}

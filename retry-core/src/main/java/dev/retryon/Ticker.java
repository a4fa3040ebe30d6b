// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Provides monotonic time, for elapsed times and time limits.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Ticker {

    /** {@return nanoseconds since an arbitrary moment, which never decrease} */
    long read();
}

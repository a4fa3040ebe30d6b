// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.call;

import org.jspecify.annotations.Nullable;

/** One retried call, ready to be made again and again. */
@FunctionalInterface
public interface Action {

    /**
     * Makes the call.
     *
     * @return what it returns
     * @throws Throwable what it throws
     */
    @Nullable Object run() throws Throwable;
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Provides error codes, which {@code nonRetryableErrors} matches, for errors that can't implement {@link RetryHint}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ErrorCodeResolver {

    /**
     * Returns the code of one error. The engine asks for each of its causes separately. A resolver that throws is
     * treated as if it returned {@code null}.
     *
     * @param error the error
     * @return the code, such as {@code auth.token_expired}, or {@code null} if this resolver has no code for the error
     */
    @Nullable String resolve(Throwable error);
}

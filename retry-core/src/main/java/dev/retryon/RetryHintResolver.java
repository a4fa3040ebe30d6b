// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Provides hints for errors that cannot implement {@link RetryHint}. A hint contains the delay that the error requests,
 * and the error code that {@code nonRetryableErrors} and rules match.
 *
 * <pre>{@code
 * RetryHintResolver bankCodes = (error, context) ->
 *         error instanceof BankException bank ? RetryHint.ofErrorCode("bank." + bank.code()) : null;
 * }</pre>
 *
 * @see RetryEngineBuilder#hintResolver
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryHintResolver {

    /**
     * Returns the hint of one error. The engine calls this method separately for each cause of the error. If several
     * resolvers know an error, the first value is used separately for the directive, the delay and the code. The
     * error's own hint takes precedence. A resolver that throws an exception is treated as if it returned {@code null}.
     *
     * @param error the error
     * @param context the context of the call; {@link RetryContext#attempt()} is the failed attempt
     * @return the hint, or {@code null} if this resolver does not know the error
     */
    @Nullable RetryHint resolve(Throwable error, RetryContext context);
}

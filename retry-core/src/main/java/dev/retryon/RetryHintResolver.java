// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Provides the hints of errors that cannot implement {@link RetryHint}: their codes, which {@code nonRetryableErrors} and
 * rules match, and the delays that they request.
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
     * Returns the hint of one error. The engine asks for each of its causes separately. If several resolvers know an
     * error, the first answer to each question is used: its directive, its delay, its code. The error's own hint comes
     * first. A resolver that throws is treated as if it returned {@code null}.
     *
     * @param error the error
     * @param context the context of the call; {@link RetryContext#attempt()} is the failed attempt
     * @return the hint, or {@code null} if this resolver does not know the error
     */
    @Nullable RetryHint resolve(Throwable error, RetryContext context);
}

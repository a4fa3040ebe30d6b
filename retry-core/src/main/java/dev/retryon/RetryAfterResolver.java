/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Provides the requested delay of errors that can't implement {@link RetryHint}, such as the exceptions of an HTTP
 * client with a {@code Retry-After} header.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryAfterResolver {

    /**
     * Returns the delay that one error requests. The engine asks for each of its causes separately. It asks after the
     * error's own {@link RetryHint}, and only if no {@link RetryDecider} has set the delay. A resolver that throws is
     * treated as if it returned {@code null}.
     *
     * @param error the error
     * @return the delay, with the same rules as {@link RetryHint#retryAfter()}; {@code null} or a negative duration
     *     if this resolver has no answer
     */
    @Nullable Duration retryAfter(Throwable error);
}

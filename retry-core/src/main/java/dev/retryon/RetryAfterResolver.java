/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Knows how long errors that can't implement {@link RetryHint} want to be waited for, such as those of an HTTP client with
 * a {@code Retry-After} header.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryAfterResolver {

    /**
     * Returns what one error wants; its causes are asked separately. Asked after the error's own {@link RetryHint}, and only
     * if no {@link RetryDecider} has decided how long to wait. A resolver that throws counts as one that does not know.
     *
     * @param error the error
     * @return the wait, used as {@link RetryHint#retryAfter()} is; {@code null} or a negative duration if this resolver does
     *     not know
     */
    @Nullable Duration retryAfter(Throwable error);
}

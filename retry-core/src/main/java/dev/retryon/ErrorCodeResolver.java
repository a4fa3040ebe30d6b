/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Gives errors that can't implement {@link RetryHint} a dot-namespaced code, for {@code nonRetryableErrors}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ErrorCodeResolver {

    /**
     * Returns the code of one error; its causes are asked separately. A resolver that throws counts as one that does not
     * know.
     *
     * @param error the error
     * @return the code, such as {@code auth.token_expired}, or {@code null} if this resolver does not know it
     */
    @Nullable String resolve(Throwable error);
}

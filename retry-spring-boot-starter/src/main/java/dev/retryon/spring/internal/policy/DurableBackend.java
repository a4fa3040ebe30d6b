/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.ReturnStyle;
import org.jspecify.annotations.Nullable;

/**
 * Stores and runs durable calls. The module {@code retry-durable} contributes one as a bean, which is looked up when the first
 * call needs it.
 */
public interface DurableBackend extends DurableRetries {

    /**
     * Returns the style of an {@code OUTBOX} method, which stores each call instead of running its first attempt.
     *
     * @param method the method
     * @param later how its result comes later; {@code null} if the method is {@code void}
     * @return the style
     */
    ReturnStyle outbox(RetriedMethod method, @Nullable ReturnStyle later);
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

/**
 * What {@link RetryOn#onExhaustion()} says about a call that has failed for good. In a policy, a property and for one call
 * by {@link Retries} it is a {@link dev.retryon.OnExhaustion}, which can't be left open.
 *
 * @since 0.1.0
 */
public enum OnExhaustion {
    /** Not set here: a weaker layer decides. */
    INHERIT,

    /** The caller gets the error, and nothing is kept. */
    RETHROW,

    /** The call is kept as a dead letter, then the caller gets the error. */
    DEAD_LETTER
}

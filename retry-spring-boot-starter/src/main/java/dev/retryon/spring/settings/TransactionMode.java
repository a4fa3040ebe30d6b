/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

/**
 * In which transaction the retry of a call is stored: {@code retryon.durable.transaction}.
 *
 * @since 0.1.0
 */
public enum TransactionMode {
    /** In one of its own, which outlives that of the caller. */
    REQUIRES_NEW,

    /** In that of the caller if there is one: if it is rolled back, the call is not retried. */
    JOIN
}

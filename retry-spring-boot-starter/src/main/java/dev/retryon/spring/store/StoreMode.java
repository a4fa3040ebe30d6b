/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

/**
 * Where calls are kept: {@code retryon.durable.store}.
 *
 * @since 0.1.0
 */
public enum StoreMode {
    /** In the application's own database. */
    AUTO,

    /** In a file of RetryOn's own, whatever databases the application has. For one process. */
    EMBEDDED
}

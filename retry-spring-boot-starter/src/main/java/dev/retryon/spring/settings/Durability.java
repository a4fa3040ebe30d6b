/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

/**
 * Whether calls survive the process, as a setting; see {@code dev.retryon.spring.Durable}.
 *
 * @since 0.1.0
 */
public enum Durability {
    /** They do not. */
    OFF,

    /** Those whose first attempt has failed. */
    ON_FAILURE,

    /** All of them, stored before their first attempt. */
    OUTBOX
}

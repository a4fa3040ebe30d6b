/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

/**
 * A boolean in an annotation that may also be unset.
 *
 * @since 0.1.0
 */
public enum Flag {

    /** Unset: a weaker layer, in the end the default, decides. */
    INHERIT,

    /** Yes. */
    TRUE,

    /** No. */
    FALSE
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

/**
 * A yes or no in an annotation that can also say nothing.
 *
 * @since 0.1.0
 */
public enum Flag {

    /** Says nothing: a weaker layer, in the end the default, decides. */
    INHERIT,

    /** Yes. */
    TRUE,

    /** No. */
    FALSE
}

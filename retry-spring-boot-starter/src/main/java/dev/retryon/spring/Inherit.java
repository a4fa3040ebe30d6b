/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

/**
 * What an annotation takes over from the weaker ones that apply to the same method.
 *
 * @since 0.1.0
 */
public enum Inherit {

    /** Everything that this annotation does not set itself. */
    ALL,

    /**
     * Nothing: neither the settings of weaker annotations nor the policies that they name. Properties apply as they would
     * without any annotation.
     */
    NONE
}

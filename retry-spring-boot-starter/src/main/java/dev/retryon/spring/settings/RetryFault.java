/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

/**
 * Something wrong in an annotation or property.
 *
 * @param where the class, method and annotation, or the property
 * @param problem a sentence that quotes the value and says what is allowed
 * @since 0.1.0
 */
public record RetryFault(String where, String problem) {

    @Override
    public String toString() {
        return where + ": " + problem;
    }
}

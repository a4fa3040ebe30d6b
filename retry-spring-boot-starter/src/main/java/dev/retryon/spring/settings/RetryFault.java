/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

/**
 * Something wrong in an annotation or property.
 *
 * @param place where it is to be corrected
 * @param problem a sentence that quotes the value and says what is allowed
 * @since 0.1.0
 */
public record RetryFault(Place place, String problem) {

    /**
     * Names the place.
     *
     * @return the class, method and annotation, or the property
     */
    public String where() {
        return place.text();
    }

    @Override
    public String toString() {
        return place + ": " + problem;
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * A place in the application where something can be corrected.
 *
 * @param text the name of the property, or the annotation with its class and method
 * @param isProperty whether it is a property, and so has a file and a line
 * @since 0.1.0
 */
public record Place(String text, boolean isProperty) {

    /**
     * A property.
     *
     * @param name the full name
     * @return the place
     */
    public static Place property(String name) {
        return new Place(name, true);
    }

    /**
     * A place in the code.
     *
     * @param text an annotation or a method
     * @return the place
     */
    public static Place code(String text) {
        return new Place(text, false);
    }

    /**
     * Whether this is a property below another one.
     *
     * @param property the place of the other property
     * @return {@code true} if the name of this one begins with the name of the other, as Spring Boot compares names
     */
    boolean isBelow(Place property) {
        return isProperty && property.isProperty() && property.name().isAncestorOf(name());
    }

    private ConfigurationPropertyName name() {
        return ConfigurationPropertyName.adapt(text, '.');
    }

    @Override
    public String toString() {
        return text;
    }
}

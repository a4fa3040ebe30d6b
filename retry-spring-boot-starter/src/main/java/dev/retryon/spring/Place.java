// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The location of a fault in the application, which is a property or a place in the code.
 *
 * @param text the name of the property, or the annotation with its class and method
 * @param isProperty whether the location is a property, which has a file and a line
 * @since 0.1.0
 */
public record Place(String text, boolean isProperty) {

    /**
     * Returns the location of a property.
     *
     * @param name the full name of the property
     * @return the location
     */
    public static Place property(String name) {
        return new Place(name, true);
    }

    /**
     * Returns a location in the code.
     *
     * @param text an annotation or a method
     * @return the location
     */
    public static Place code(String text) {
        return new Place(text, false);
    }

    /**
     * Returns whether this property is below another property.
     *
     * @param property the location of the other property
     * @return {@code true} if the name of this property begins with the name of the other property; names are compared
     *     as in Spring Boot
     */
    public boolean isBelow(Place property) {
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

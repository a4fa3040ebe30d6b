/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.settings.Suggestion;
import java.beans.PropertyDescriptor;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The properties that exist below {@code retry}, to explain those that do not. */
final class KnownProperties {

    private static final ResolvableType ROOT = ResolvableType.forClass(RetryProperties.class);

    private KnownProperties() {}

    /** Whether a name is below a block or a map of ours, so that nothing else can be meant by it. */
    static boolean isBelowOurs(ConfigurationPropertyName name) {
        ResolvableType type = children(ROOT).get(name.getElement(1, Form.DASHED));
        return type != null && !isValue(type);
    }

    /** What could have been meant by a first element that is none of ours; empty if nothing resembles it. */
    static String suggestRoot(ConfigurationPropertyName name) {
        return Suggestion.of(name.getElement(1, Form.ORIGINAL), children(ROOT).keySet());
    }

    /** What would be right in the place of a property that does not exist; {@code null} if it does. */
    static @Nullable String explain(ConfigurationPropertyName name) {
        ResolvableType type = ROOT;
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            if (isMap(type)) {
                type = type.getGeneric(1);
                continue;
            }
            if (isValue(type)) {
                return name.chop(i) + " takes a value and has nothing below it";
            }
            Map<String, ResolvableType> children = children(type);
            ResolvableType child = children.get(name.getElement(i, Form.DASHED));
            if (child == null) {
                return "below " + name.chop(i) + " there are " + children.keySet()
                        + Suggestion.of(name.getElement(i, Form.ORIGINAL), children.keySet());
            }
            type = child;
        }
        return null;
    }

    /** What there is below a block, for a value where a block should be; {@code null} if the type is none. */
    static @Nullable String block(ResolvableType type) {
        if (isMap(type)) {
            return "names with blocks below them, which have "
                    + children(type.getGeneric(1)).keySet();
        }
        return isValue(type)
                ? null
                : "the name of a block, which has " + children(type).keySet();
    }

    private static boolean isMap(ResolvableType type) {
        return Map.class.isAssignableFrom(type.toClass());
    }

    private static boolean isValue(ResolvableType type) {
        return !isMap(type) && !type.toClass().getPackageName().equals(KnownProperties.class.getPackageName());
    }

    private static Map<String, ResolvableType> children(ResolvableType type) {
        Map<String, ResolvableType> children = new TreeMap<>();
        for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type.toClass())) {
            if (property.getReadMethod() != null && !property.getName().equals("class")) {
                children.put(
                        DataObjectPropertyName.toDashedForm(property.getName()),
                        ResolvableType.forMethodReturnType(property.getReadMethod()));
            }
        }
        return children;
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.settings.Suggestion;
import java.beans.PropertyDescriptor;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The properties that exist below {@code retryon}, to explain those that do not. */
final class KnownProperties {

    private static final ResolvableType ROOT = ResolvableType.forClass(RetryProperties.class);

    /** Where a part of a sentence says what may be meant. */
    static final String DID_YOU_MEAN = "; did you mean '";

    private KnownProperties() {}

    /**
     * Says what is right in the place of a property that does not exist.
     *
     * @param name the property
     * @param value its value, or {@code null} if it is not known
     * @return a part of a sentence; {@code null} if the property exists
     */
    static @Nullable String explain(ConfigurationPropertyName name, @Nullable Object value) {
        ResolvableType type = ROOT;
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            if (isMap(type)) {
                type = type.getGeneric(1);
                continue;
            }
            if (isValue(type)) {
                return name.chop(i) + " takes a value and has nothing below it" + foreign(name, i - 1, value);
            }
            Map<String, ResolvableType> children = children(type);
            ResolvableType child = children.get(name.getElement(i, Form.DASHED));
            if (child == null) {
                String written = name.getElement(i, Form.ORIGINAL);
                String suggestion = i == 1 ? atRoot(name, value) : foreign(name, i, value);
                return "below " + name.chop(i) + " there are " + children.keySet()
                        + (suggestion.isEmpty() && i > 1 ? Suggestion.of(written, children.keySet()) : suggestion);
            }
            type = child;
        }
        return null;
    }

    /** The setting that another library calls by the elements from a position on. */
    private static String foreign(ConfigurationPropertyName name, int from, @Nullable Object value) {
        StringJoiner uniform = new StringJoiner(".");
        for (int i = from; i < name.getNumberOfElements(); i++) {
            if (i == from || !name.isNumericIndex(i)) {
                uniform.add(name.getElement(i, Form.UNIFORM));
            }
        }
        String ours = ForeignNames.setting(uniform.toString(), value);
        return ours == null ? "" : meant(ours);
    }

    private static String meant(String what) {
        return DID_YOU_MEAN + what + "'?";
    }

    /** The property that is meant by one directly below {@code retryon} that belongs into a block. */
    private static String atRoot(ConfigurationPropertyName name, @Nullable Object value) {
        Set<String> settings =
                children(ResolvableType.forClass(RetrySettingsProperties.class)).keySet();
        String dashed = name.getElement(1, Form.DASHED);
        String rest = name.toString().substring(name.chop(2).toString().length());
        if (settings.contains(dashed)) {
            return meant("retryon.defaults." + dashed + rest);
        }
        String ours = ForeignNames.setting(name.subName(1).toString().replace("-", ""), value);
        if (ours != null) {
            return meant("retryon.defaults." + ours);
        }
        String block = ForeignNames.block(name.getElement(1, Form.UNIFORM));
        if (block == null && dashed.length() > 3) { // nearly every shorter word resembles "log"
            block = Suggestion.nearest(dashed, children(ROOT).keySet());
        }
        if (block != null) {
            return meant("retryon." + block + rest);
        }
        String setting = Suggestion.nearest(dashed, settings);
        return setting == null ? "" : meant("retryon.defaults." + setting + rest);
    }

    /**
     * Whether an environment variable names a property that exists, or may do so.
     *
     * @param variable the part after {@code RETRYON_}, in lower case
     */
    static boolean mayBeKnown(String variable) {
        int end = variable.indexOf('_');
        ResolvableType type = end < 0 ? null : children(ROOT).get(variable.substring(0, end));
        if (type == null || isMap(type) || isValue(type)) {
            // Nothing of ours, such as what Kubernetes sets for a service of this name, or with a name of the user's in
            // it.
            return true;
        }
        String setting =
                variable.substring(end + 1).replaceFirst("(_\\d+)+_?$", "").replace("_", "");
        return children(type).keySet().stream()
                .anyMatch(name -> name.replace("-", "").equals(setting));
    }

    /** What can be written below a block; {@code null} if the type is not a block. */
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

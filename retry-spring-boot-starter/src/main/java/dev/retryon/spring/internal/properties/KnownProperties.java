// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

import dev.retryon.spring.internal.report.Suggestion;
import dev.retryon.spring.internal.settings.PropertyBlocks;
import dev.retryon.spring.internal.settings.Setting;
import java.beans.PropertyDescriptor;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
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
import org.springframework.util.ClassUtils;

/**
 * The properties that exist below {@code retryon}, to explain those that do not: those of the starter, whose blocks of
 * settings have one type, and those of the modules.
 */
public record KnownProperties(Class<?> root, Class<?> settings) {

    private static final Map<String, Class<?>> MODULES = PropertyBlocks.all();

    static final String DID_YOU_MEAN = "; did you mean '";

    /**
     * Explains what to write instead of a property that does not exist, as a part of a sentence; {@code null} if it
     * exists.
     */
    public @Nullable String explain(ConfigurationPropertyName name, @Nullable Object value) {
        ResolvableType type = ResolvableType.forClass(root);
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            if (isMap(type)) {
                type = type.getGeneric(1);
                continue;
            }
            if (isValue(type)) {
                return name.chop(i) + " takes a value and has no properties below it" + foreign(name, i - 1, value);
            }
            Map<String, ResolvableType> children = children(type);
            ResolvableType child = child(children, name.getElement(i, Form.UNIFORM));
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

    /** Suggests a property instead of an unknown one directly below {@code retryon}. */
    private String atRoot(ConfigurationPropertyName name, @Nullable Object value) {
        Set<String> known = children(ResolvableType.forClass(settings)).keySet();
        String dashed = name.getElement(1, Form.DASHED);
        String rest = name.toString().substring(name.chop(2).toString().length());
        if (known.contains(dashed)) {
            return meant("retryon.defaults." + dashed + rest);
        }
        String ours = ForeignNames.setting(name.subName(1).toString().replace("-", ""), value);
        if (ours != null) {
            return meant("retryon.defaults." + ours);
        }
        String block = ForeignNames.block(name.getElement(1, Form.UNIFORM));
        if (block == null && dashed.length() > 3) { // nearly every shorter word resembles "log"
            block = Suggestion.nearest(
                    dashed, children(ResolvableType.forClass(root)).keySet());
        }
        if (block != null) {
            return meant("retryon." + block + rest);
        }
        String setting = Suggestion.nearest(dashed, known);
        return setting == null ? "" : meant("retryon.defaults." + setting + rest);
    }

    /**
     * Whether an environment variable names a property that exists, or may do so. The name is in lower case, without
     * {@code RETRYON_}.
     */
    boolean mayBeKnown(String variable) {
        int end = variable.indexOf('_');
        ResolvableType type =
                end < 0 ? null : children(ResolvableType.forClass(root)).get(variable.substring(0, end));
        if (type == null || isMap(type) || isValue(type)) {
            // Not a property of RetryOn, such as a variable that Kubernetes sets for a service of this name, or one
            // with a
            // name that the user has chosen.
            return true;
        }
        return isBelow(
                type,
                variable.substring(end + 1).replaceFirst("(_\\d+)+_?$", "").replace("_", ""));
    }

    /** Whether a block has a property, also in blocks below it, whose name has these letters. */
    private boolean isBelow(ResolvableType block, String letters) {
        return children(block).entrySet().stream().anyMatch(child -> {
            String name = child.getKey().replace("-", "");
            ResolvableType type = child.getValue();
            if (letters.equals(name) || !letters.startsWith(name) || isValue(type)) {
                return letters.equals(name);
            }
            return isMap(type) || isBelow(type, letters.substring(name.length()));
        });
    }

    /** Finds a child by its name without dashes, because binding accepts {@code max-delay}, {@code maxDelay}, and {@code max_delay}. */
    private static @Nullable ResolvableType child(Map<String, ResolvableType> children, String uniform) {
        return children.entrySet().stream()
                .filter(child -> child.getKey().replace("-", "").equals(uniform))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /** Describes the values that a property can have. */
    String rule(ConfigurationPropertyName name, ResolvableType type) {
        // A block may have any name, also that of a setting.
        if (isMap(type)) {
            return "a map of names to blocks with the properties "
                    + children(type.getGeneric(1)).keySet();
        }
        if (!isValue(type)) {
            return "the name of a block, which has " + children(type).keySet();
        }
        return switch (name.getLastElement(Form.DASHED)) {
            case "max-attempts" -> Setting.RULE_OF_ATTEMPTS;
            case "multiplier" -> Setting.RULE_OF_MULTIPLIERS;
            case "ratio" -> "a number from 0 to 1000 such as 0.2, which is 20 %";
            default -> rule(type);
        };
    }

    private static String rule(ResolvableType type) {
        Class<?> raw = ClassUtils.resolvePrimitiveIfNecessary(type.toClass());
        if (raw == Duration.class) {
            return "a duration such as 500ms, 2s, 5m or PT0.5S";
        }
        if (raw == Integer.class) {
            return "a whole number";
        }
        if (raw == Double.class) {
            return "a number";
        }
        if (raw == Boolean.class) {
            return "true or false";
        }
        if (raw == Class.class) {
            return "the full name of an exception class that is on the class path";
        }
        if (Collection.class.isAssignableFrom(raw) && type.getGeneric(0).toClass() == Integer.class) {
            return "whole numbers, separated by commas";
        }
        if (raw.isEnum()) {
            List<String> names = Arrays.stream(raw.getEnumConstants())
                    .map(constant ->
                            constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .toList();
            return "one of " + names;
        }
        return "a " + raw.getSimpleName();
    }

    private static boolean isMap(ResolvableType type) {
        return Map.class.isAssignableFrom(type.toClass());
    }

    private boolean isValue(ResolvableType type) {
        return !isMap(type) && !isBlock(type.toClass());
    }

    /** Whether a type belongs to RetryOn and so has a block of properties. */
    boolean isBlock(Class<?> type) {
        return !type.isEnum()
                && (type.getPackage() == root.getPackage()
                        || MODULES.values().stream().anyMatch(block -> block.getPackage() == type.getPackage()));
    }

    private Map<String, ResolvableType> children(ResolvableType type) {
        Map<String, ResolvableType> children = new TreeMap<>();
        for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type.toClass())) {
            if (property.getReadMethod() != null && !property.getName().equals("class")) {
                children.put(
                        DataObjectPropertyName.toDashedForm(property.getName()),
                        ResolvableType.forMethodReturnType(property.getReadMethod()));
            }
        }
        if (type.toClass() == root) {
            MODULES.forEach((name, block) -> children.put(name, ResolvableType.forClass(block)));
        }
        return children;
    }
}

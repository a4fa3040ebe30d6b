/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/** The attributes that are written in one annotation, by name. Immutable. */
final class AnnotationAttributes {

    static final AnnotationAttributes NONE = new AnnotationAttributes(Map.of());

    private final Map<String, Expression> values;

    private AnnotationAttributes(Map<String, Expression> values) {
        this.values = values;
    }

    static AnnotationAttributes of(J.Annotation annotation) {
        List<Expression> arguments = annotation.getArguments();
        if (arguments == null) {
            return NONE;
        }
        Map<String, Expression> values = new LinkedHashMap<>();
        for (Expression argument : arguments) {
            if (argument instanceof J.Assignment assignment && assignment.getVariable() instanceof J.Identifier name) {
                values.put(name.getSimpleName(), assignment.getAssignment());
            } else if (!(argument instanceof J.Empty)) {
                values.put("value", argument);
            }
        }
        return new AnnotationAttributes(values);
    }

    @Nullable Expression get(String name) {
        return values.get(name);
    }

    /** The attributes of the annotation that is the value; none if it is absent. */
    AnnotationAttributes nested(String name) {
        return values.get(name) instanceof J.Annotation annotation ? of(annotation) : NONE;
    }

    /** The first of these attributes that is present and not an empty list; {@code null} if there is none. */
    @Nullable Expression types(String... names) {
        for (String name : names) {
            Expression value = values.get(name);
            if (value != null && !elements(value).isEmpty()) {
                return value;
            }
        }
        return null;
    }

    /** The single values of a value or list. */
    static List<Expression> elements(@Nullable Expression value) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof J.NewArray array)) {
            return List.of(value);
        }
        List<Expression> elements = new ArrayList<>();
        if (array.getInitializer() != null) {
            for (Expression element : array.getInitializer()) {
                if (!(element instanceof J.Empty)) {
                    elements.add(element);
                }
            }
        }
        return elements;
    }

    /** The types of a list of class literals. */
    static List<JavaType> typesOf(@Nullable Expression value) {
        List<JavaType> types = new ArrayList<>();
        for (Expression element : elements(value)) {
            if (element instanceof J.FieldAccess literal && literal.getTarget().getType() != null) {
                types.add(literal.getTarget().getType());
            }
        }
        return types;
    }

    /** The text of a string attribute: empty where it is absent, {@code null} where it is not a literal. */
    @Nullable String text(String name) {
        Expression value = values.get(name);
        return value == null ? "" : text(value);
    }

    /** The texts of a list of strings, none where it is absent; {@code null} where one is not a literal. */
    @Nullable List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Expression element : elements(values.get(name))) {
            String text = text(element);
            if (text == null) {
                return null;
            }
            texts.add(text);
        }
        return texts;
    }

    private static @Nullable String text(Expression value) {
        if (value instanceof J.Literal literal && literal.getValue() instanceof String text) {
            return text;
        }
        if (value instanceof J.Parentheses<?> parentheses && parentheses.getTree() instanceof Expression inside) {
            return text(inside);
        }
        if (value instanceof J.Binary binary && binary.getOperator() == J.Binary.Type.Addition) {
            String left = text(binary.getLeft());
            String right = text(binary.getRight());
            return left == null || right == null ? null : left + right;
        }
        return null;
    }

    /** The number of an attribute; {@code null} where it is not a literal. */
    @Nullable Double number(String name, double absent) {
        Expression value = values.get(name);
        if (value == null) {
            return absent;
        }
        return (value instanceof J.Literal literal && literal.getValue() instanceof Number number)
                ? Double.valueOf(number.doubleValue())
                : null;
    }

    /** The truth of an attribute that is false where it is absent; {@code null} where it is not a literal. */
    @Nullable Boolean flag(String name) {
        Expression value = values.get(name);
        if (value == null) {
            return Boolean.FALSE;
        }
        return (value instanceof J.Literal literal && literal.getValue() instanceof Boolean flag) ? flag : null;
    }
}

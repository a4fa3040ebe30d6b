// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** The attributes that are written in one annotation, by name, with the values of their constants. Immutable. */
final class AnnotationAttributes {

    static final AnnotationAttributes NONE = new AnnotationAttributes(Map.of(), Map.of());

    private final Map<String, Expression> values;

    /** The values as the compiler knows them, so that constants of other classes are resolved. */
    private final Map<String, Object> constants;

    private AnnotationAttributes(Map<String, Expression> values, Map<String, Object> constants) {
        this.values = values;
        this.constants = constants;
    }

    /** The attributes of an annotation that the compiler has read as one of these. */
    static AnnotationAttributes of(J.Annotation annotation, List<JavaType.FullyQualified> compiled) {
        for (JavaType.FullyQualified candidate : compiled) {
            if (candidate instanceof JavaType.Annotation values
                    && TypeUtils.isOfClassType(annotation.getType(), values.getFullyQualifiedName())) {
                return of(annotation, constants(values));
            }
        }
        return of(annotation, Map.of());
    }

    private static Map<String, Object> constants(JavaType.Annotation compiled) {
        Map<String, Object> constants = new HashMap<>();
        for (JavaType.Annotation.ElementValue value : compiled.getValues()) {
            if (value.getElement() instanceof JavaType.Method element && value.getValue() != null) {
                constants.put(element.getName(), value.getValue());
            }
        }
        return constants;
    }

    private static AnnotationAttributes of(J.Annotation annotation, Map<String, Object> constants) {
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
        return new AnnotationAttributes(values, constants);
    }

    Stream<String> names() {
        return values.keySet().stream();
    }

    @Nullable Expression get(String name) {
        return values.get(name);
    }

    /** The attributes of the annotation that is the value; none if it is absent. */
    AnnotationAttributes nested(String name) {
        return values.get(name) instanceof J.Annotation annotation
                ? of(
                        annotation,
                        constants.get(name) instanceof JavaType.Annotation compiled ? constants(compiled) : Map.of())
                : NONE;
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
        if (!(value instanceof J.NewArray array)) {
            return value == null ? List.of() : List.of(value);
        }
        List<Expression> elements = array.getInitializer();
        return elements == null
                ? List.of()
                : elements.stream()
                        .filter(element -> !(element instanceof J.Empty))
                        .toList();
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

    /** The text of a string attribute: empty if it is absent, {@code null} if it is not a constant. */
    @Nullable String text(String name) {
        Expression value = values.get(name);
        if (value == null) {
            return "";
        }
        String text = text(value);
        return text == null && constants.get(name) instanceof String constant ? constant : text;
    }

    /** The expression of a string attribute that names a constant; {@code null} if the text itself is written there. */
    @Nullable Expression constant(String name) {
        Expression value = values.get(name);
        return value == null || text(value) != null ? null : value;
    }

    /** The texts of a list of strings, none if it is absent; {@code null} if one is not a constant. */
    @Nullable List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Expression element : elements(values.get(name))) {
            String text = text(element);
            if (text == null) {
                return compiledTexts(constants.get(name));
            }
            texts.add(text);
        }
        return texts;
    }

    private static @Nullable List<String> compiledTexts(@Nullable Object compiled) {
        List<?> values = compiled instanceof List<?> list ? list : compiled == null ? List.of() : List.of(compiled);
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            if (value instanceof String text) {
                texts.add(text);
            }
        }
        return texts.isEmpty() || texts.size() < values.size() ? null : texts;
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

    /** The number of an attribute; {@code null} if it is not a constant. */
    @Nullable Double number(String name, double absent) {
        if (!values.containsKey(name)) {
            return absent;
        }
        return constantValue(name) instanceof Number known ? Double.valueOf(known.doubleValue()) : null;
    }

    /** Whether a number is written as such, not as a constant or a sum. */
    boolean isLiteral(String name) {
        return values.get(name) instanceof J.Literal;
    }

    /** The truth of an attribute that is false if it is absent; {@code null} if it is not a constant. */
    @Nullable Boolean flag(String name) {
        if (!values.containsKey(name)) {
            return Boolean.FALSE;
        }
        return constantValue(name) instanceof Boolean known ? known : null;
    }

    private @Nullable Object constantValue(String name) {
        return values.get(name) instanceof J.Literal literal ? literal.getValue() : constants.get(name);
    }
}

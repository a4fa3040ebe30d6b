// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
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

    private static final AnnotationAttributes NONE = new AnnotationAttributes(Map.of(), List.of());

    private final Map<String, Expression> written;

    /** The values as the compiler knows them, so that constants of other classes are resolved. */
    private final List<JavaType.Annotation.ElementValue> compiled;

    private AnnotationAttributes(Map<String, Expression> written, List<JavaType.Annotation.ElementValue> compiled) {
        this.written = written;
        this.compiled = compiled;
    }

    /** The attributes of an annotation that the compiler has read as one of these. */
    static AnnotationAttributes of(J.Annotation annotation, List<JavaType.FullyQualified> compiled) {
        return of(
                annotation,
                compiled.stream()
                        .filter(type -> TypeUtils.isOfClassType(annotation.getType(), type.getFullyQualifiedName()))
                        .findFirst()
                        .orElse(null));
    }

    private static AnnotationAttributes of(J.Annotation annotation, @Nullable Object compiled) {
        Map<String, Expression> written = new LinkedHashMap<>();
        Stream.ofNullable(annotation.getArguments()).flatMap(List::stream).forEach(argument -> {
            if (argument instanceof J.Assignment assignment && assignment.getVariable() instanceof J.Identifier name) {
                written.put(name.getSimpleName(), assignment.getAssignment());
            } else if (!(argument instanceof J.Empty)) {
                written.put("value", argument);
            }
        });
        return new AnnotationAttributes(
                written, compiled instanceof JavaType.Annotation values ? values.getValues() : List.of());
    }

    Stream<String> names() {
        return written.keySet().stream();
    }

    @Nullable Expression get(String name) {
        return written.get(name);
    }

    /** The value of a literal or of a constant; {@code null} if it is absent or not known. */
    private @Nullable Object value(String name) {
        return written.get(name) instanceof J.Literal literal
                ? literal.getValue()
                : compiled.stream()
                        .filter(value -> value.getElement() instanceof JavaType.Method element
                                && element.getName().equals(name))
                        .findFirst()
                        .map(JavaType.Annotation.ElementValue::getValue)
                        .orElse(null);
    }

    /** Whether an attribute is written with another value than an empty text or {@code false}. */
    boolean isSet(String name) {
        Object value = value(name);
        return written.containsKey(name) && !"".equals(value) && !Boolean.FALSE.equals(value);
    }

    /** The attributes of the annotation that is the value; none if it is absent. */
    AnnotationAttributes nested(String name) {
        return written.get(name) instanceof J.Annotation annotation ? of(annotation, value(name)) : NONE;
    }

    /** The first of these attributes that is present and not an empty list; {@code null} if there is none. */
    @Nullable Expression types(String... names) {
        for (String name : names) {
            Expression value = written.get(name);
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
        return !written.containsKey(name) ? "" : value(name) instanceof String text ? text : null;
    }

    /** The expression of an attribute that names a constant; {@code null} if the value itself is written there. */
    @Nullable Expression constant(String name) {
        Expression value = written.get(name);
        return value instanceof J.Literal ? null : value;
    }

    /** The texts of a list of strings, none if it is absent; {@code null} if one is not a constant. */
    @Nullable List<String> texts(String name) {
        Object value = value(name);
        List<?> values = value instanceof List<?> list ? list : value == null ? List.of() : List.of(value);
        List<String> texts = values.stream()
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .toList();
        return texts.size() == elements(written.get(name)).size() ? texts : null;
    }

    /** The number of an attribute; {@code null} if it is not a constant. */
    @Nullable Double number(String name, double absent) {
        if (!written.containsKey(name)) {
            return absent;
        }
        return value(name) instanceof Number known ? Double.valueOf(known.doubleValue()) : null;
    }

    /** The truth of an attribute that is false if it is absent; {@code null} if it is not a constant. */
    @Nullable Boolean flag(String name) {
        if (!written.containsKey(name)) {
            return Boolean.FALSE;
        }
        return value(name) instanceof Boolean known ? known : null;
    }
}

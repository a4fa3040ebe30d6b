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

/**
 * The attributes that are written in one annotation, by name, with the values of their constants. To read a value that is
 * not known leaves the annotation.
 */
final class AnnotationAttributes {

    private final Map<String, Expression> written;

    /** The values as the compiler knows them, so that constants of other classes are resolved. */
    private final List<JavaType.Annotation.ElementValue> compiled;

    private final Translation translation;

    private AnnotationAttributes(
            Map<String, Expression> written, List<JavaType.Annotation.ElementValue> compiled, Translation translation) {
        this.written = written;
        this.compiled = compiled;
        this.translation = translation;
    }

    /** The attributes of an annotation that the compiler has read as one of these. */
    static AnnotationAttributes of(
            J.Annotation annotation, List<JavaType.FullyQualified> compiled, Translation translation) {
        return of(
                annotation,
                compiled.stream()
                        .filter(type -> TypeUtils.isOfClassType(annotation.getType(), type.getFullyQualifiedName()))
                        .findFirst()
                        .orElse(null),
                translation);
    }

    private static AnnotationAttributes of(
            J.Annotation annotation, @Nullable Object compiled, Translation translation) {
        Map<String, Expression> written = new LinkedHashMap<>();
        Stream.ofNullable(annotation.getArguments()).flatMap(List::stream).forEach(argument -> {
            if (argument instanceof J.Assignment assignment && assignment.getVariable() instanceof J.Identifier name) {
                written.put(name.getSimpleName(), assignment.getAssignment());
            } else if (!(argument instanceof J.Empty)) {
                written.put("value", argument);
            }
        });
        return new AnnotationAttributes(
                written, compiled instanceof JavaType.Annotation values ? values.getValues() : List.of(), translation);
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
        return written.get(name) instanceof J.Annotation annotation
                ? of(annotation, value(name), translation)
                : new AnnotationAttributes(Map.of(), List.of(), translation);
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

    /** A value, or the default if the attribute is absent. A value that is not known leaves the annotation. */
    private <T> T value(String name, Class<T> type, T absent) {
        if (!written.containsKey(name)) {
            return absent;
        }
        Object value = value(name);
        if (type.isInstance(value)) {
            return type.cast(value);
        }
        translation.leave(name + " is not a constant");
        return absent;
    }

    /** The text of a string attribute, empty if it is absent. */
    String text(String name) {
        return value(name, String.class, "");
    }

    /** The number of an attribute. */
    double number(String name, double absent) {
        return value(name, Number.class, absent).doubleValue();
    }

    /** The truth of an attribute that is false if it is absent. */
    boolean flag(String name) {
        return value(name, Boolean.class, false);
    }

    /** The expression of an attribute that names a constant; {@code null} if the value itself is written there. */
    @Nullable Expression constant(String name) {
        Expression value = written.get(name);
        return value instanceof J.Literal ? null : value;
    }

    /** The texts of a list of strings, none if it is absent. */
    List<String> texts(String name) {
        Object value = value(name);
        List<?> values = value instanceof List<?> list ? list : value == null ? List.of() : List.of(value);
        if (values.size() != elements(written.get(name)).size()) {
            translation.leave(name + " is not a constant");
        }
        return values.stream().map(String::valueOf).toList();
    }
}

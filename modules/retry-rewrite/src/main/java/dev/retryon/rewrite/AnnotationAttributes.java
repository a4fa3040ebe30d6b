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

/** The attributes of one annotation. If a requested value is unknown, the annotation is not migrated. */
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

    /** Returns the value of a literal or of a constant, or {@code null} if it is absent or unknown. */
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

    /** Returns whether an attribute has a written value other than an empty text or {@code false}. */
    boolean isSet(String name) {
        Object value = value(name);
        return written.containsKey(name) && !"".equals(value) && !Boolean.FALSE.equals(value);
    }

    /** Returns the attributes of the annotation that is the value, or none if it is absent. */
    AnnotationAttributes nested(String name) {
        return written.get(name) instanceof J.Annotation annotation
                ? of(annotation, value(name), translation)
                : new AnnotationAttributes(Map.of(), List.of(), translation);
    }

    /** Returns the first of these attributes that is present and not an empty list, or {@code null}. */
    @Nullable Expression types(String... names) {
        for (String name : names) {
            Expression value = written.get(name);
            if (value != null && !elements(value).isEmpty()) {
                return value;
            }
        }
        return null;
    }

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

    static List<JavaType> typesOf(@Nullable Expression value) {
        List<JavaType> types = new ArrayList<>();
        for (Expression element : elements(value)) {
            if (element instanceof J.FieldAccess literal && literal.getTarget().getType() != null) {
                types.add(literal.getTarget().getType());
            }
        }
        return types;
    }

    /** Returns a value, or the default if the attribute is absent. If the value is unknown, the annotation is not migrated. */
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

    String text(String name) {
        return value(name, String.class, "");
    }

    double number(String name, double absent) {
        return value(name, Number.class, absent).doubleValue();
    }

    boolean flag(String name) {
        return value(name, Boolean.class, false);
    }

    /** Returns the expression of an attribute that names a constant, or {@code null} if the value itself is written there. */
    @Nullable Expression constant(String name) {
        Expression value = written.get(name);
        return value instanceof J.Literal ? null : value;
    }

    List<String> texts(String name) {
        Object value = value(name);
        List<?> values = value instanceof List<?> list ? list : value == null ? List.of() : List.of(value);
        if (values.size() != elements(written.get(name)).size()) {
            translation.leave(name + " is not a constant");
        }
        return values.stream().map(String::valueOf).toList();
    }
}

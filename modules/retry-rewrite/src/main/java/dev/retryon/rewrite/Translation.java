// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JContainer;
import org.openrewrite.java.tree.JLeftPadded;
import org.openrewrite.java.tree.JRightPadded;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.marker.Markers;

/** The translation of one annotation: a {@code @RetryOn} with remarks, or the reason why the old annotation remains. */
final class Translation {

    private static final String RETRY_ON = "dev.retryon.spring.RetryOn";

    private static final String INHERIT = "dev.retryon.spring.Inherit";

    private static final int LINE_LENGTH = 110;

    private static final JavaType.Class STRING = JavaType.ShallowClass.build("java.lang.String");

    private final List<Expression> attributes = new ArrayList<>();

    private final List<String> remarks = new ArrayList<>();

    private @Nullable String obstacle;

    private boolean inheritsNothing;

    /** Leaves the annotation as it is. The first reason counts. */
    void leave(String reason) {
        if (obstacle == null) {
            obstacle = reason;
        }
    }

    void remark(String text) {
        remarks.add(text);
    }

    boolean isLeft() {
        return obstacle != null;
    }

    /** Returns the comments to add: the reason why the annotation remains, or remarks about its replacement. */
    List<String> comments() {
        return obstacle == null ? remarks : List.of(Comments.LEFT + obstacle);
    }

    void text(String name, String value) {
        attribute(name, literal(value));
    }

    void number(String name, long value) {
        attribute(name, literal(value, Long.toString(value), JavaType.Primitive.Int));
    }

    void copy(String name, @Nullable Expression value) {
        if (value != null) {
            attribute(name, value);
        }
    }

    void attribute(String name, Expression value) {
        Expression assigned = value.withPrefix(Space.SINGLE_SPACE);
        attributes.add(new J.Assignment(
                Tree.randomId(),
                attributes.isEmpty() ? Space.EMPTY : Space.SINGLE_SPACE,
                Markers.EMPTY,
                identifier(name, null),
                JLeftPadded.build(assigned).withBefore(Space.SINGLE_SPACE),
                assigned.getType()));
    }

    /** Writes a string that contains part of another attribute. If that part names a constant, so does the string. */
    void text(String name, String value, String part, @Nullable Expression constant) {
        if (constant != null && value.equals(part)) {
            attribute(name, constant);
            return;
        }
        int start = constant == null || part.isEmpty() ? -1 : value.indexOf(part);
        if (constant == null || start < 0) {
            text(name, value);
            return;
        }
        String before = value.substring(0, start);
        String after = value.substring(start + part.length());
        Expression text = before.isEmpty() ? operand(constant) : sum(literal(before), operand(constant), STRING);
        attribute(name, after.isEmpty() ? text : sum(text, literal(after), STRING));
    }

    /** Returns an expression for a constant number of milliseconds, such as {@code MINUTE + "ms"}. */
    static Expression milliseconds(Expression constant) {
        return sum(operand(constant), literal("ms"), STRING);
    }

    private static Expression operand(Expression constant) {
        return constant instanceof J.Identifier || constant instanceof J.FieldAccess
                ? constant.withPrefix(Space.EMPTY)
                : new J.Parentheses<>(
                        Tree.randomId(),
                        Space.EMPTY,
                        Markers.EMPTY,
                        JRightPadded.build(constant.withPrefix(Space.EMPTY)));
    }

    private static Expression sum(Expression left, Expression right, JavaType type) {
        return new J.Binary(
                Tree.randomId(),
                Space.EMPTY,
                Markers.EMPTY,
                left,
                JLeftPadded.build(J.Binary.Type.Addition).withBefore(Space.SINGLE_SPACE),
                right.withPrefix(Space.SINGLE_SPACE),
                type);
    }

    /** Returns the types of all errors, because an {@code Error} is retried only if its type is listed. */
    static Expression anyThrown() {
        return list(List.of(literalOf("Exception"), literalOf("Error")));
    }

    /** Returns a class literal from {@code java.lang}, such as {@code Exception.class}. */
    static Expression literalOf(String name) {
        return literalOf(typeOf(name));
    }

    static Expression typeOf(String name) {
        return identifier(name, JavaType.ShallowClass.build("java.lang." + name));
    }

    /** Returns {@code Type.class} for a type that is written in the same source. */
    static Expression literalOf(Expression type) {
        return access(type.withPrefix(Space.EMPTY), "class", JavaType.ShallowClass.build("java.lang.Class"));
    }

    static Expression list(List<Expression> values) {
        if (values.size() == 1) {
            return values.get(0);
        }
        List<JRightPadded<Expression>> elements = new ArrayList<>();
        for (Expression value : values) {
            elements.add(JRightPadded.build(value.withPrefix(elements.isEmpty() ? Space.EMPTY : Space.SINGLE_SPACE)));
        }
        return new J.NewArray(
                Tree.randomId(),
                Space.EMPTY,
                Markers.EMPTY,
                null,
                List.of(),
                JContainer.build(Space.EMPTY, elements, Markers.EMPTY),
                null);
    }

    private static Expression access(Expression target, String name, JavaType type) {
        return new J.FieldAccess(
                Tree.randomId(), Space.EMPTY, Markers.EMPTY, target, JLeftPadded.build(identifier(name, null)), type);
    }

    /** Makes all other annotations ineffective for the elements that have this annotation. */
    void inheritNothing() {
        inheritsNothing = true;
    }

    List<String> types() {
        return inheritsNothing ? List.of(RETRY_ON, INHERIT) : List.of(RETRY_ON);
    }

    /**
     * Returns the annotation that replaces another one.
     *
     * @param indent one step of indentation in this source
     */
    J.Annotation replace(J.Annotation old, String lineStart, String indent) {
        JavaType.Class type = JavaType.ShallowClass.build(RETRY_ON);
        if (inheritsNothing) {
            JavaType.Class inherit = JavaType.ShallowClass.build(INHERIT);
            attribute("inherit", access(identifier("Inherit", inherit), "NONE", inherit));
        }
        boolean lines = attributes.stream()
                        .mapToInt(attribute -> attribute.toString().length() + 2)
                        .sum()
                > LINE_LENGTH - lineStart.length();
        List<JRightPadded<Expression>> arguments = new ArrayList<>();
        for (Expression attribute : attributes) {
            arguments.add(JRightPadded.build(
                    lines ? attribute.<Expression>withPrefix(Space.format(lineStart + indent + indent)) : attribute));
        }
        J.Annotation replacement = new J.Annotation(
                Tree.randomId(),
                old.getPrefix(),
                Markers.EMPTY,
                identifier("RetryOn", type),
                JContainer.build(Space.EMPTY, arguments, Markers.EMPTY));
        return Comments.keep(old, replacement, lineStart);
    }

    private static J.Identifier identifier(String name, @Nullable JavaType type) {
        return new J.Identifier(Tree.randomId(), Space.EMPTY, Markers.EMPTY, List.of(), name, type, null);
    }

    private static J.Literal literal(String value) {
        String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        return literal(value, "\"" + escaped + "\"", JavaType.Primitive.String);
    }

    private static J.Literal literal(Object value, String source, JavaType.Primitive type) {
        return new J.Literal(Tree.randomId(), Space.EMPTY, Markers.EMPTY, value, source, null, type);
    }
}

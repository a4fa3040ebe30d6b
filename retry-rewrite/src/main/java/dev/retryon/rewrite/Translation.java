/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
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

/** What becomes of one annotation: a {@code @RetryOn} with remarks, or nothing, for a reason. */
final class Translation {

    static final String RETRY_ON = "dev.retryon.spring.RetryOn";

    private static final int LINE_LENGTH = 110;

    private static final JavaType.Class STRING = JavaType.ShallowClass.build("java.lang.String");

    private final List<Expression> attributes = new ArrayList<>();

    private final List<String> remarks = new ArrayList<>();

    private @Nullable String obstacle;

    /** Leaves the annotation as it is; the first reason counts. */
    void leave(String reason) {
        if (obstacle == null) {
            obstacle = reason;
        }
    }

    /** Adds a comment for what changes in meaning. */
    void remark(String text) {
        remarks.add(text);
    }

    @Nullable String obstacle() {
        return obstacle;
    }

    List<String> remarks() {
        return remarks;
    }

    void text(String name, String value) {
        attribute(name, literal(value));
    }

    void number(String name, long value) {
        attribute(name, literal(value, Long.toString(value), JavaType.Primitive.Int));
    }

    void number(String name, double value) {
        attribute(name, literal(value, Double.toString(value), JavaType.Primitive.Double));
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

    /** A constant number of milliseconds, {@code MINUTE + "ms"}. */
    static Expression milliseconds(Expression constant) {
        Expression left = constant instanceof J.Identifier || constant instanceof J.FieldAccess
                ? constant.withPrefix(Space.EMPTY)
                : new J.Parentheses<>(
                        Tree.randomId(),
                        Space.EMPTY,
                        Markers.EMPTY,
                        JRightPadded.build(constant.withPrefix(Space.EMPTY)));
        return new J.Binary(
                Tree.randomId(),
                Space.EMPTY,
                Markers.EMPTY,
                left,
                JLeftPadded.build(J.Binary.Type.Addition).withBefore(Space.SINGLE_SPACE),
                literal("ms").withPrefix(Space.SINGLE_SPACE),
                STRING);
    }

    /** {@code Exception.class}. */
    static Expression everyException() {
        JavaType.Class type = JavaType.ShallowClass.build("java.lang.Exception");
        return new J.FieldAccess(
                Tree.randomId(),
                Space.EMPTY,
                Markers.EMPTY,
                identifier("Exception", type),
                JLeftPadded.build(identifier("class", null)),
                JavaType.ShallowClass.build("java.lang.Class"));
    }

    /** The annotation that takes the place of another one. */
    J.Annotation replace(J.Annotation old, String lineStart) {
        JavaType.Class type = JavaType.ShallowClass.build(RETRY_ON);
        boolean lines = attributes.stream()
                        .mapToInt(attribute -> attribute.toString().length() + 2)
                        .sum()
                > LINE_LENGTH - lineStart.length();
        List<JRightPadded<Expression>> arguments = new ArrayList<>();
        for (Expression attribute : attributes) {
            arguments.add(JRightPadded.build(
                    lines ? attribute.<Expression>withPrefix(Space.format(lineStart + "        ")) : attribute));
        }
        J.Annotation replacement = new J.Annotation(
                Tree.randomId(),
                old.getPrefix(),
                Markers.EMPTY,
                identifier("RetryOn", type),
                JContainer.build(Space.EMPTY, arguments, Markers.EMPTY));
        return Comments.add(replacement, remarks, lineStart);
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

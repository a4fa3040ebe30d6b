// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.marker.Markers;

/** Comments that explain the changes of a recipe, and the annotations that it leaves. */
final class Comments {

    /** The start of every comment, so that one search finds all of them. */
    static final String START = " RetryOn: ";

    private Comments() {}

    /** Adds line comments before a tree that begins a line; those that it has already are not repeated. */
    static <T extends J> T add(T tree, List<String> texts, String lineStart) {
        List<Comment> present = tree.getPrefix().getComments();
        List<Comment> comments = new ArrayList<>(present);
        for (String text : texts) {
            if (comments.stream()
                    .noneMatch(comment -> comment instanceof TextComment existing
                            && existing.getText().equals(START + text))) {
                comments.add(new TextComment(false, START + text, lineStart, Markers.EMPTY));
            }
        }
        return comments.size() == present.size()
                ? tree
                : tree.withPrefix(tree.getPrefix().withComments(comments));
    }

    static <T extends J> T add(T tree, String text, String lineStart) {
        return add(tree, List.of(text), lineStart);
    }

    /** Puts the comments inside a tree before its replacement, except those that the replacement contains. */
    static <T extends J> T keep(J old, T replacement, String lineStart) {
        List<Comment> lost = new ArrayList<>(inside(old));
        inside(replacement).forEach(kept -> lost.removeIf(comment -> comment.equals(kept)));
        List<Comment> comments = new ArrayList<>(replacement.getComments());
        lost.forEach(comment -> comments.add(comment.withSuffix(lineStart)));
        return lost.isEmpty()
                ? replacement
                : replacement.withPrefix(replacement.getPrefix().withComments(comments));
    }

    private static List<Comment> inside(J tree) {
        List<Comment> comments = new ArrayList<>();
        new JavaVisitor<List<Comment>>() {
            @Override
            public Space visitSpace(@Nullable Space space, Space.Location location, List<Comment> found) {
                if (space != null) {
                    found.addAll(space.getComments());
                }
                return space == null ? Space.EMPTY : space;
            }
        }.visit((Tree) tree.withPrefix(Space.EMPTY), comments);
        return comments;
    }

    /** The line break and indentation that a declaration begins with. */
    static String lineStart(Space prefix) {
        String whitespace = prefix.getLastWhitespace();
        int line = whitespace.lastIndexOf('\n');
        if (line < 0) {
            return "\n";
        }
        return (line > 0 && whitespace.charAt(line - 1) == '\r' ? "\r" : "") + whitespace.substring(line);
    }
}

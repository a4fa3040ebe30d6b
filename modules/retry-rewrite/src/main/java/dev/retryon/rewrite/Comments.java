// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.marker.Markers;

/** Comments that explain the changes of a recipe, and the annotations that it leaves. */
final class Comments {

    /** The start of every comment, so that one search finds all of them. */
    static final String START = "RetryOn: ";

    /** The start of a reason why an element does not change. */
    static final String LEFT = "left as it is: ";

    private static final int LEAST_COLUMNS = 80;

    private static final int MOST_COLUMNS = 120;

    private Comments() {}

    /** Returns the length of the longest line, within usual limits. OpenRewrite does not detect a project's limit. */
    static int columns(String source) {
        int longest = source.lines().mapToInt(String::length).max().orElse(0);
        return Math.max(LEAST_COLUMNS, Math.min(longest, MOST_COLUMNS));
    }

    static List<String> lines(String text, int columns) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : (START + text).split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > columns) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    static <T extends J> T add(T tree, List<String> texts, String lineStart, SourceFile source) {
        return add(tree, tree.getPrefix(), texts, lineStart, source);
    }

    /** Adds line comments before a tree that begins a line, unless {@code before} contains them from an earlier run. */
    static <T extends J> T add(T tree, Space before, List<String> texts, String lineStart, SourceFile source) {
        List<Comment> comments = new ArrayList<>(tree.getPrefix().getComments());
        List<String> present = Stream.concat(comments.stream(), before.getComments().stream())
                .filter(TextComment.class::isInstance)
                .map(comment -> ((TextComment) comment).getText().trim())
                .toList();
        int indentation = lineStart.replaceAll("\\R", "").length();
        for (String text : texts) {
            List<String> lines = lines(text, columns(source.printAll()) - indentation - "// ".length());
            // The reason why an element is left is added only once, even if a later run finds another reason.
            String known = text.startsWith(LEFT) ? START + LEFT : lines.get(0);
            if (present.stream().noneMatch(line -> line.startsWith(known))) {
                lines.forEach(line -> comments.add(new TextComment(false, " " + line, lineStart, Markers.EMPTY)));
            }
        }
        return comments.size() == tree.getPrefix().getComments().size()
                ? tree
                : tree.withPrefix(tree.getPrefix().withComments(comments));
    }

    /** Explains imports that remain. Visitors that add and remove imports move comments before an import. */
    static JavaSourceFile explain(JavaSourceFile source, Map<String, String> texts, SourceFile original) {
        return source.withImports(ListUtils.map(source.getImports(), imported -> {
            String text = texts.get(imported.getTypeName());
            return text == null ? imported : add(imported, List.of(text), "\n", original);
        }));
    }

    /** Puts the comments inside a tree before its replacement, except those that the replacement contains. */
    static <T extends J> T keep(J old, T replacement, String lineStart) {
        List<Comment> lost = new ArrayList<>(inside(old));
        inside(replacement).forEach(kept -> lost.removeIf(comment -> comment.equals(kept)));
        lost.removeIf(
                comment -> comment instanceof TextComment text && text.getText().isBlank());
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

    static String lineStart(Space prefix) {
        String whitespace = prefix.getLastWhitespace();
        int line = whitespace.lastIndexOf('\n');
        if (line < 0) {
            return "\n";
        }
        return (line > 0 && whitespace.charAt(line - 1) == '\r' ? "\r" : "") + whitespace.substring(line);
    }
}

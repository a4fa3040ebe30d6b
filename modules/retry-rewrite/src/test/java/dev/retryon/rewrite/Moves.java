// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.java.Assertions.java;

import java.util.ArrayList;
import java.util.List;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

/** A class with one method for each annotation whose move is to be shown, so that it is parsed once. */
final class Moves {

    private static final String REMARK = "// ";

    private final String imports;

    private final List<String> before = new ArrayList<>();

    private final List<String> after = new ArrayList<>();

    private boolean leavesAny;

    Moves(String... imports) {
        StringBuilder lines = new StringBuilder();
        for (String type : imports) {
            lines.append("import ").append(type).append(";\n");
        }
        this.imports = lines.toString();
    }

    /** An annotation that becomes another one. */
    Moves moved(String annotation, String replacement) {
        before.add(annotation);
        after.add(wrapped(replacement));
        return this;
    }

    /** An annotation that becomes another one below a remark. */
    Moves moved(String annotation, String replacement, String remark) {
        before.add(annotation);
        after.add(REMARK + remark + "\n" + wrapped(replacement));
        return this;
    }

    /** An annotation that stays below a reason. */
    Moves left(String annotation, String reason) {
        leavesAny = true;
        before.add(annotation);
        after.add(REMARK + "left as it is: " + reason + "\n" + annotation);
        return this;
    }

    /** An annotation below its remark, whose length depends on that of the whole source. */
    private static String commented(String annotation, int columns) {
        if (!annotation.startsWith(REMARK)) {
            return annotation;
        }
        int end = annotation.indexOf('\n');
        StringBuilder lines = new StringBuilder();
        Comments.lines(annotation.substring(REMARK.length(), end), columns - "    // ".length())
                .forEach(line -> lines.append("// ").append(line).append("\n    "));
        return lines + annotation.substring(end + 1);
    }

    void run(RewriteTest test) {
        test.rewriteRun(sources());
    }

    SourceSpecs sources() {
        StringBuilder first = new StringBuilder();
        StringBuilder others = new StringBuilder("import dev.retryon.spring.RetryOn;\n");
        imports.lines()
                .filter(line -> leavesAny)
                .forEach(line -> (line.startsWith("import java") ? first : others)
                        .append(line)
                        .append('\n'));
        String source = source(imports, before);
        int columns = Comments.columns(source);
        return java(
                source,
                source(
                        first + (first.isEmpty() ? "" : "\n") + others,
                        after.stream().map(next -> commented(next, columns)).toList()));
    }

    private static String source(String imports, List<String> annotations) {
        StringBuilder source =
                new StringBuilder(imports).append("\nclass Prices {\n    static final long DELAY = 5;\n");
        for (int i = 0; i < annotations.size(); i++) {
            source.append("\n    ")
                    .append(annotations.get(i))
                    .append("\n    String price")
                    .append(i);
            source.append("(String item) throws java.io.IOException {\n        return item;\n    }\n");
        }
        return source.append("}\n").toString();
    }

    /** The layout of a long annotation on a method. */
    static String wrapped(String annotation) {
        int open = annotation.indexOf('(');
        String inside = annotation.substring(open + 1, annotation.length() - 1);
        return inside.length() + 2 <= 105
                ? annotation
                : annotation.substring(0, open + 1) + "\n            "
                        + inside.replaceAll(", (?=[a-zA-Z]+ = )", ",\n            ") + ")";
    }
}

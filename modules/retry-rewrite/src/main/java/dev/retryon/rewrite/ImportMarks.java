// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import java.util.Map;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;

/**
 * Explains imports that stay. It has to run after the visitors that add and remove imports, because those move what is
 * written before an import.
 */
final class ImportMarks extends JavaIsoVisitor<ExecutionContext> {

    private final Map<String, String> texts;

    private final SourceFile original;

    ImportMarks(Map<String, String> texts, SourceFile original) {
        this.texts = texts;
        this.original = original;
    }

    @Override
    public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
        return unit.withImports(ListUtils.map(unit.getImports(), imported -> {
            String text = texts.get(imported.getTypeName());
            return text == null ? imported : Comments.add(imported, List.of(text), "\n", original);
        }));
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;

/** Knows, for one class, what becomes of the annotations of one library. */
interface AnnotationRule {

    /** Returns what becomes of an annotation; {@code null} if it is not one of the library. */
    @Nullable Translation translate(J.Annotation annotation);

    /** Returns how a method changes apart from its annotations. */
    default J.MethodDeclaration change(J.MethodDeclaration method) {
        return method;
    }
}

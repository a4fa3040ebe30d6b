/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/** What a {@link ContextCapture} has captured, if there is one; its faults are logged and change nothing. */
final class CapturedContext {

    private CapturedContext() {}

    static ContextCapture.@Nullable Snapshot capture(RetryEngine engine) {
        ContextCapture hook = engine.contextCapture();
        if (hook == null) {
            return null;
        }
        try {
            return hook.capture();
        } catch (Throwable ex) {
            CoreLog.warn("capturing the caller's context failed, so later attempts run without", ex);
            return null;
        }
    }

    static ContextCapture.@Nullable Scope restore(RetryEngine engine, ContextCapture.@Nullable Snapshot snapshot) {
        if (snapshot == null) {
            return null;
        }
        try {
            return snapshot.restore();
        } catch (Throwable ex) {
            CoreLog.warn("restoring the caller's context failed", ex);
            return null;
        }
    }

    static void close(RetryEngine engine, ContextCapture.@Nullable Scope scope) {
        if (scope == null) {
            return;
        }
        try {
            scope.close();
        } catch (Throwable ex) {
            CoreLog.warn("putting back a thread's context failed", ex);
        }
    }
}

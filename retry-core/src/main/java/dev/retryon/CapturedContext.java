// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Calls the {@link ContextCapture} of an engine, if it has one. Its failures are reported and do not fail the call.
 * Calls that it runs itself are not captured, or capturing would never end.
 */
final class CapturedContext {

    private CapturedContext() {}

    @SuppressWarnings("NullAway") // the answer can be null
    static ContextCapture.@Nullable Snapshot capture(RetryEngine engine) {
        ContextCapture hook = engine.contextCapture();
        if (hook == null) {
            return null;
        }
        try {
            return Extensions.<ContextCapture.Snapshot, RuntimeException>find(hook, hook::capture);
        } catch (Throwable ex) {
            failed(engine, "the caller's context could not be captured; later attempts run without it", ex);
            return null;
        }
    }

    static ContextCapture.@Nullable Scope restore(RetryEngine engine, ContextCapture.@Nullable Snapshot snapshot) {
        ContextCapture hook = engine.contextCapture();
        if (snapshot == null || hook == null) {
            return null;
        }
        try {
            return Extensions.<ContextCapture.Scope, RuntimeException>find(hook, snapshot::restore);
        } catch (Throwable ex) {
            failed(engine, "the caller's context could not be restored on a thread", ex);
            return null;
        }
    }

    static void close(RetryEngine engine, ContextCapture.@Nullable Scope scope) {
        ContextCapture hook = engine.contextCapture();
        if (scope == null || hook == null) {
            return;
        }
        try {
            // A scope must be closed, also one that a running hook has restored.
            if (!Extensions.run(hook, scope::close)) {
                scope.close();
            }
        } catch (Throwable ex) {
            failed(engine, "the former context of a thread could not be restored", ex);
        }
    }

    private static void failed(RetryEngine engine, String sentence, Throwable cause) {
        engine.extensionErrors()
                .report(ExtensionErrorListener.Kind.CONTEXT, ExtensionErrorListener.ANY, sentence, cause);
    }
}

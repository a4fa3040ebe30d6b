// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls the hooks of an engine that set the context of an attempt. Their failures are reported and do not fail the call.
 * Hooks are not called for calls that they run themselves, because such calls would never end.
 */
final class CapturedContext {

    private CapturedContext() {}

    @SuppressWarnings("NullAway") // the answer can be null
    static ContextCapture.@Nullable Snapshot capture(RetryEngine engine) {
        ContextCapture hook = engine.contextCapture();
        if (hook == null) {
            return null;
        }
        String failure = "the caller's context could not be captured; later attempts run without it";
        return ask(engine, hook, hook::capture, failure);
    }

    /** Restores the caller's context on this thread. Returns a scope that does not throw exceptions. */
    static ContextCapture.@Nullable Scope restore(RetryEngine engine, ContextCapture.@Nullable Snapshot snapshot) {
        ContextCapture hook = engine.contextCapture();
        return snapshot == null || hook == null
                ? null
                : open(engine, hook, snapshot::restore, "the caller's context could not be restored on a thread");
    }

    /** Opens the scopes around an attempt after the first one. Returns a scope that does not throw exceptions. */
    static ContextCapture.@Nullable Scope around(RetryCall call) {
        RetryEngine engine = call.engine();
        ContextCapture.Scope all = null;
        for (Function<? super RetryContext, ContextCapture.@Nullable Scope> hook : engine.aroundRetries()) {
            ContextCapture.Scope outer = all;
            ContextCapture.Scope inner =
                    open(engine, hook, () -> hook.apply(call), "the context of an attempt could not be set");
            if (inner != null) {
                all = outer == null
                        ? inner
                        : () -> {
                            inner.close();
                            outer.close();
                        };
            }
        }
        return all;
    }

    private static ContextCapture.@Nullable Scope open(
            RetryEngine engine,
            Object hook,
            Extensions.Question<ContextCapture.@Nullable Scope, RuntimeException> opening,
            String failure) {
        ContextCapture.Scope scope = ask(engine, hook, opening, failure);
        return scope == null ? null : () -> close(engine, hook, scope);
    }

    private static void close(RetryEngine engine, Object hook, ContextCapture.Scope scope) {
        try {
            // Each scope must be closed, including one that a running hook has opened.
            if (!Extensions.run(hook, scope::close)) {
                scope.close();
            }
        } catch (Throwable ex) {
            failed(engine, "the previous context of a thread could not be restored", ex);
        }
    }

    @SuppressWarnings("NullAway") // the answer can be null
    private static <R> @Nullable R ask(
            RetryEngine engine,
            Object hook,
            Extensions.Question<@Nullable R, RuntimeException> question,
            String failure) {
        try {
            return Extensions.<R, RuntimeException>find(hook, question);
        } catch (Throwable ex) {
            failed(engine, failure, ex);
            return null;
        }
    }

    private static void failed(RetryEngine engine, String sentence, Throwable cause) {
        engine.extensionErrors()
                .report(ExtensionErrorListener.Kind.CONTEXT, ExtensionErrorListener.ANY, sentence, cause);
    }
}

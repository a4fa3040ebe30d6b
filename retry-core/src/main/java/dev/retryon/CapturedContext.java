// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls the hooks of an engine that set the context of an attempt: {@link ContextCapture} for asynchronous attempts, and
 * those around retries. Their failures are reported and do not fail the call. They are not called for calls that they
 * run themselves, or that would never end.
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

    /** Opens what surrounds an attempt after the first one; {@code null} if there is nothing. */
    static ContextCapture.@Nullable Scope around(RetryCall call) {
        ContextCapture.Scope opened = null;
        for (Function<? super RetryContext, ContextCapture.@Nullable Scope> hook :
                call.engine().aroundRetries()) {
            ContextCapture.Scope outer = opened;
            ContextCapture.Scope inner = open(call, hook);
            if (inner != null) {
                opened = () -> {
                    close(call.engine(), hook, inner);
                    if (outer != null) {
                        outer.close();
                    }
                };
            }
        }
        return opened;
    }

    private static ContextCapture.@Nullable Scope open(
            RetryCall call, Function<? super RetryContext, ContextCapture.@Nullable Scope> hook) {
        try {
            return Extensions.<ContextCapture.Scope, RuntimeException>find(hook, () -> hook.apply(call));
        } catch (Throwable ex) {
            failed(call.engine(), "the context of an attempt could not be set", ex);
            return null;
        }
    }

    static void close(RetryEngine engine, @Nullable Object hook, ContextCapture.@Nullable Scope scope) {
        if (scope == null || hook == null) {
            return;
        }
        try {
            // A scope must be closed, also one that a running hook has opened.
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

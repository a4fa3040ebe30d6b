// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** From an error to its cause. */
final class Causes {

    /** Wrappers in wrappers deeper than this are taken as they are. */
    private static final int DEEPEST_WRAPPING = 32;

    private Causes() {}

    /** The error inside wrappers that only say that something was called asynchronously or by reflection. */
    static Throwable unwrap(Throwable error) {
        Throwable inner = error;
        for (int depth = 0; depth < DEEPEST_WRAPPING && isWrapper(inner); depth++) {
            Throwable cause = of(inner);
            if (cause == null) {
                return inner;
            }
            inner = cause;
        }
        return inner;
    }

    /** The cause of an error; {@code null} if reading it fails, which must not break the call. */
    static @Nullable Throwable of(Throwable error) {
        try {
            return error.getCause();
        } catch (Throwable ex) {
            Interruption.keep(ex);
            return null;
        }
    }

    private static boolean isWrapper(Throwable error) {
        return error instanceof CompletionException
                || error instanceof ExecutionException
                || error instanceof UndeclaredThrowableException;
    }
}

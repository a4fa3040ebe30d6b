package dev.retryon;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Walks from an error to its causes; cause chains may be cyclic. */
final class Causes {

    /** Wrappers in wrappers deeper than this are taken as they are. */
    private static final int DEEPEST_WRAPPING = 32;

    private Causes() {}

    /** What a function finds first, on the error itself and then on its causes. */
    static <R> @Nullable R first(Throwable error, Function<Throwable, @Nullable R> function) {
        Throwable next = error;
        Throwable slow = error;
        boolean step = false;
        while (next != null) {
            R found = function.apply(next);
            if (found != null) {
                return found;
            }
            next = next.getCause();
            if (step && slow != null) {
                slow = slow.getCause();
            }
            step = !step;
            // The slow one moves at half the speed: they meet only in a cycle.
            if (next == slow) {
                return null;
            }
        }
        return null;
    }

    /** The error inside wrappers that only say that something was called asynchronously or by reflection. */
    static Throwable unwrap(Throwable error) {
        Throwable inner = error;
        for (int depth = 0; depth < DEEPEST_WRAPPING && isWrapper(inner); depth++) {
            Throwable cause = inner.getCause();
            if (cause == null) {
                return inner;
            }
            inner = cause;
        }
        return inner;
    }

    private static boolean isWrapper(Throwable error) {
        return error instanceof CompletionException
                || error instanceof ExecutionException
                || error instanceof UndeclaredThrowableException;
    }
}

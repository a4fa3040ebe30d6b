package dev.retryon;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** From an error to its causes; cause chains may be cyclic. */
final class Causes {

    /** Wrappers in wrappers deeper than this are taken as they are. */
    private static final int DEEPEST_WRAPPING = 32;

    private Causes() {}

    /**
     * An error and its causes, the nearest first. Read once a failure, because {@code getCause} takes the error's lock, some
     * 11 ns each time; what is asked of the error goes over this.
     */
    static Throwable[] chain(Throwable error) {
        Throwable cause = causeOf(error);
        return cause == null ? new Throwable[] {error} : chain(error, cause);
    }

    private static Throwable[] chain(Throwable error, Throwable cause) {
        List<Throwable> chain = new ArrayList<>();
        chain.add(error);
        // In a cycle the chain is sooner or later at the error that stands halfway up; elsewhere it never is.
        for (Throwable next = cause; next != null && next != chain.get(chain.size() / 2); next = causeOf(next)) {
            chain.add(next);
        }
        return chain.toArray(Throwable[]::new);
    }

    /** The error inside wrappers that only say that something was called asynchronously or by reflection. */
    static Throwable unwrap(Throwable error) {
        Throwable inner = error;
        for (int depth = 0; depth < DEEPEST_WRAPPING && isWrapper(inner); depth++) {
            Throwable cause = causeOf(inner);
            if (cause == null) {
                return inner;
            }
            inner = cause;
        }
        return inner;
    }

    /** An error that can't tell its cause, or has none, must not break the call. */
    private static @Nullable Throwable causeOf(Throwable error) {
        try {
            return error.getCause();
        } catch (RuntimeException ex) {
            return null;
        }
    }

    private static boolean isWrapper(Throwable error) {
        return error instanceof CompletionException
                || error instanceof ExecutionException
                || error instanceof UndeclaredThrowableException;
    }
}

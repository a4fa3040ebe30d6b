// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An error and its causes, the nearest first, with their hints. Created once for each failure. */
final class ErrorChain {

    /** The maximum length of a chain, because an error can create a new cause each time it is asked. */
    static final int LONGEST = 100;

    /** Wrappers that are nested deeper than this are not unwrapped. */
    private static final int DEEPEST_WRAPPING = 32;

    /** A hundred years. Longer delays are reduced to this value to make arithmetic safe. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(36_525);

    /**
     * Whether the class of an error is marked. The values are of a JDK class, because the JDK's exception classes keep
     * them, and thus the class loader of their class, as long as the virtual machine runs.
     */
    private static final ClassValue<Boolean> MARKED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.isAnnotationPresent(DoNotRetry.class);
        }
    };

    private final Throwable error;

    private final RetryContext call;

    private final Participants<RetryHintResolver> resolvers;

    private final ExtensionErrorReporter extensionErrors;

    private @Nullable ErrorChain cause;

    private @Nullable List<RetryHint> hints;

    private ErrorChain(
            Throwable error,
            RetryContext call,
            Participants<RetryHintResolver> resolvers,
            ExtensionErrorReporter extensionErrors) {
        this.error = error;
        this.call = call;
        this.resolvers = resolvers;
        this.extensionErrors = extensionErrors;
    }

    /** Reads the causes only once, because {@code getCause} takes the error's lock. */
    static ErrorChain of(
            Throwable error,
            RetryContext call,
            Participants<RetryHintResolver> resolvers,
            ExtensionErrorReporter extensionErrors) {
        ErrorChain first = new ErrorChain(error, call, resolvers, extensionErrors);
        ErrorChain last = first;
        ErrorChain halfway = first;
        int length = 1;
        // The chain reaches the error that is halfway up only if it contains a cycle.
        for (Throwable next = causeOf(error);
                next != null && next != halfway.error && length < LONGEST;
                next = causeOf(next)) {
            last.cause = new ErrorChain(next, call, resolvers, extensionErrors);
            last = last.cause;
            length++;
            if (length % 2 == 0 && halfway.cause != null) {
                halfway = halfway.cause;
            }
        }
        return first;
    }

    /** Returns the error inside wrappers that only mean that something was called asynchronously or by reflection. */
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

    private static boolean isWrapper(Throwable error) {
        return error instanceof CompletionException
                || error instanceof ExecutionException
                || error instanceof UndeclaredThrowableException;
    }

    /** Returns the cause of an error, or {@code null} if reading it fails, which must not break the call. */
    private static @Nullable Throwable causeOf(Throwable error) {
        try {
            return error.getCause();
        } catch (Throwable ex) {
            Extensions.keepInterrupt(ex);
            return null;
        }
    }

    Throwable error() {
        return error;
    }

    @Nullable ErrorChain cause() {
        return cause;
    }

    boolean isMarked() {
        return MARKED.get(error.getClass());
    }

    /** Returns the code of the error, without its causes. The default is the name of the class. */
    String code() {
        String code = first(RetryHint::errorCode);
        return code != null ? code : error.getClass().getName();
    }

    /** Returns the directive of the error or its nearest cause that has one. */
    @Nullable RetryDirective directive() {
        return nearest(RetryHint::directive);
    }

    /** Returns the delay that the error or its nearest cause requests: not negative, possibly never. */
    @Nullable Duration delay() {
        return nearest(ErrorChain::delay);
    }

    private static @Nullable Duration delay(RetryHint hint) {
        Duration delay = hint.retryAfter();
        if (delay == null || delay.isNegative()) {
            return null;
        }
        return delay.equals(RetryHint.NEVER) ? delay : DurationMath.shorter(delay, LONGEST_DELAY);
    }

    private <R> @Nullable R nearest(Function<RetryHint, @Nullable R> question) {
        for (ErrorChain next = this; next != null; next = next.cause) {
            R answer = next.first(question);
            if (answer != null) {
                return answer;
            }
        }
        return null;
    }

    /** Returns the first answer of the hints of this error: its own one, and then those of the resolvers in their order. */
    private <R> @Nullable R first(Function<RetryHint, @Nullable R> question) {
        // Resolvers are asked once for each failure.
        if (hints == null) {
            hints = find();
        }
        for (RetryHint hint : hints) {
            R answer = ask(hint, () -> question.apply(hint));
            if (answer != null) {
                return answer;
            }
        }
        return null;
    }

    private List<RetryHint> find() {
        List<RetryHint> found = new ArrayList<>();
        if (error instanceof RetryHint own) {
            found.add(own);
        }
        for (RetryHintResolver resolver : resolvers.all(Kind.RESOLVER, extensionErrors)) {
            RetryHint hint = ask(resolver, () -> resolver.resolve(error, call));
            if (hint != null) {
                found.add(hint);
            }
        }
        return found;
    }

    private <R> @Nullable R ask(Object asked, Supplier<@Nullable R> question) {
        try {
            return Extensions.<R, RuntimeException>find(asked, question::get);
        } catch (Throwable ex) {
            String what = (asked instanceof RetryHint ? "the hint of " : "the resolver ")
                    + ExtensionErrorReporter.type(asked) + " failed and is ignored";
            extensionErrors.report(Kind.RESOLVER, ExtensionErrorListener.ANY, what, ex);
            return null;
        }
    }
}

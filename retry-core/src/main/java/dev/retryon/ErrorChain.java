/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An error, what its class declares, and its causes, the nearest first. Made once a failure. */
final class ErrorChain {

    /** How many errors of a chain are looked at: an error may make up a new cause each time it is asked. */
    static final int LONGEST = 100;

    private static final int HINT = 1;

    private static final int MARKED = 2;

    private static final int OPEN_BREAKER = 4;

    /** The exceptions of circuit breakers that are open. */
    private static final Set<String> OPEN_BREAKERS = Set.of(
            "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
            "dev.failsafe.CircuitBreakerOpenException");

    /**
     * What the class of an error declares. The values are the JDK's: the JDK's own exception classes keep them, and with them the
     * class loader of their class, for as long as the virtual machine runs.
     */
    private static final ClassValue<Integer> TRAITS = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            return (RetryHint.class.isAssignableFrom(type) ? HINT : 0)
                    | (type.isAnnotationPresent(DoNotRetry.class) ? MARKED : 0)
                    | (OPEN_BREAKERS.contains(type.getName()) ? OPEN_BREAKER : 0);
        }
    };

    private final Throwable error;

    /** A failing instanceof of an interface would take longer, and be asked several times. */
    private final int traits;

    private @Nullable ErrorChain cause;

    private ErrorChain(Throwable error) {
        this.error = error;
        this.traits = TRAITS.get(error.getClass());
    }

    /**
     * An error and its causes. Read once, because {@code getCause} takes the error's lock, some 11 to 20 ns each time; what
     * is asked of the error goes over this.
     */
    static ErrorChain of(Throwable error) {
        ErrorChain first = new ErrorChain(error);
        ErrorChain last = first;
        ErrorChain halfway = first;
        int length = 1;
        // In a cycle the chain is sooner or later at the error that stands halfway up; elsewhere it never is.
        for (Throwable next = Causes.of(error);
                next != null && next != halfway.error && length < LONGEST;
                next = Causes.of(next)) {
            last.cause = new ErrorChain(next);
            last = last.cause;
            length++;
            if (length % 2 == 0 && halfway.cause != null) {
                halfway = halfway.cause;
            }
        }
        return first;
    }

    Throwable error() {
        return error;
    }

    /** The chain that begins with the cause. */
    @Nullable ErrorChain cause() {
        return cause;
    }

    /** The error as a hint, if it is one. */
    @Nullable RetryHint hint() {
        return (traits & HINT) != 0 ? (RetryHint) error : null;
    }

    /** Whether the error itself must not be retried, by its class. */
    boolean isMarked() {
        return (traits & MARKED) != 0;
    }

    /** Whether the error itself comes from a circuit breaker that is open. */
    boolean isOfOpenBreaker() {
        return (traits & OPEN_BREAKER) != 0;
    }
}

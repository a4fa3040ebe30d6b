/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows which errors a policy retries: by type, by code and by annotation. It looks at the error and at its causes. */
final class FailureMatcher {

    private final Class<?>[] listed;

    private final Class<?>[] listedErrors;

    private final Class<?>[] excluded;

    private final String[] patterns;

    /**
     * Creates a matcher.
     *
     * @param exceptions the types to retry
     * @param excludes the types never to retry
     * @param nonRetryableErrors the patterns of codes never to retry
     * @param limited whether attempts have a time limit, whose exception is then retried though not listed
     */
    FailureMatcher(
            Collection<Class<? extends Throwable>> exceptions,
            Collection<Class<? extends Throwable>> excludes,
            Collection<String> nonRetryableErrors,
            boolean limited) {
        List<Class<?>> all = new ArrayList<>(exceptions);
        if (limited) {
            all.add(AttemptTimeoutException.class);
        }
        List<Class<?>> errors = new ArrayList<>();
        for (Class<?> type : all) {
            if (Error.class.isAssignableFrom(type)) {
                errors.add(type);
            }
        }
        this.listed = all.toArray(new Class<?>[0]);
        this.listedErrors = errors.toArray(new Class<?>[0]);
        this.excluded = excludes.toArray(new Class<?>[0]);
        this.patterns = nonRetryableErrors.toArray(new String[0]);
    }

    /** The directive of the error or of its nearest cause that has one. */
    static @Nullable RetryDirective directive(ErrorChain chain) {
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            RetryHint hint = next.hint();
            RetryDirective directive = hint == null ? null : UserCode.ask(hint::directive);
            if (directive != null) {
                return directive;
            }
        }
        return null;
    }

    /** Whether the error is never to be retried: marked, excluded, or of a code that is named. */
    boolean refuses(ErrorChain chain, ErrorCodes codes) {
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            if (next.isMarked() || isAmong(excluded, next) || (patterns.length > 0 && isNamed(next, codes))) {
                return true;
            }
        }
        return false;
    }

    private boolean isNamed(ErrorChain link, ErrorCodes codes) {
        String code = codes.of(link);
        for (String pattern : patterns) {
            if (matches(pattern, code)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the error may be retried on its own request: an {@code Error} only if an {@code Error} type is listed. */
    boolean admitsRequest(ErrorChain chain) {
        return !(chain.error() instanceof Error) || listedErrors.length > 0;
    }

    /** Whether the error's type is listed. For an {@code Error} an {@code Error} type has to be listed; {@code Throwable} does not do. */
    boolean lists(ErrorChain chain) {
        Class<?>[] types = chain.error() instanceof Error ? listedErrors : listed;
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            if (isAmong(types, next)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAmong(Class<?>[] types, ErrorChain link) {
        for (Class<?> type : types) {
            if (type.isInstance(link.error())) {
                return true;
            }
        }
        return false;
    }

    static boolean matches(String pattern, String code) {
        return pattern.endsWith(".*")
                ? code.length() >= pattern.length() && code.startsWith(pattern.substring(0, pattern.length() - 1))
                : pattern.equals(code);
    }
}

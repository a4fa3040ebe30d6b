/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which errors a policy's lists name: by type, by code, by annotation. Looks at the error and at its causes.
 */
final class FailureMatcher {

    private final Class<?>[] listed;

    private final Class<?>[] listedErrors;

    private final Class<?>[] excluded;

    private final String[] patterns;

    FailureMatcher(RetryPolicy policy) {
        List<Class<?>> all = new ArrayList<>(policy.exceptions());
        if (policy.attemptTimeout() != null) {
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
        this.excluded = policy.excludes().toArray(new Class<?>[0]);
        this.patterns = policy.nonRetryableErrors().toArray(new String[0]);
    }

    /** The directive of the error or of its nearest cause that has one. */
    static @Nullable RetryDirective directive(ErrorChain chain, RetryEngine engine) {
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            RetryHint hint = next.hint();
            RetryDirective directive = hint == null ? null : engine.ask(hint::directive);
            if (directive != null) {
                return directive;
            }
        }
        return null;
    }

    /** Whether the error is never to be retried: marked, excluded, or of a code that is named. */
    boolean refuses(ErrorChain chain, RetryEngine engine) {
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            if (next.isMarked() || isAmong(excluded, next) || (patterns.length > 0 && isNamed(next, engine))) {
                return true;
            }
        }
        return false;
    }

    private boolean isNamed(ErrorChain link, RetryEngine engine) {
        String code = engine.errorCode(link);
        for (String pattern : patterns) {
            if (matches(pattern, code)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the error's type is listed. An {@code Error} wants an {@code Error} type, {@code Throwable} is not enough. */
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

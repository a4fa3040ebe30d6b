// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Decides which errors a policy retries: by type, code and annotation of the error and its causes. */
final class FailureMatcher {

    private final Class<?>[] listed;

    private final Class<?>[] listedErrors;

    private final Class<?>[] excluded;

    private final String[] patterns;

    private final Class<?>[] recovered;

    private final Class<?>[] recoveredErrors;

    /** Adds the exception of a limited attempt, which is retried although it is not listed. */
    FailureMatcher(PolicySettings settings) {
        List<Class<?>> all = new ArrayList<>(settings.exceptions);
        if (settings.attemptTimeout != null) {
            all.add(AttemptTimeoutException.class);
        }
        this.listed = all.toArray(new Class<?>[0]);
        this.listedErrors = errorTypes(all);
        this.excluded = settings.excludes.toArray(new Class<?>[0]);
        this.patterns = settings.nonRetryableErrors.toArray(new String[0]);
        this.recovered = settings.recoverOn.toArray(new Class<?>[0]);
        this.recoveredErrors = errorTypes(settings.recoverOn);
    }

    private static Class<?>[] errorTypes(Collection<? extends Class<?>> types) {
        return types.stream().filter(Error.class::isAssignableFrom).toArray(Class<?>[]::new);
    }

    /** Returns whether the error must never be retried, because it is marked or excluded, or its code is listed. */
    boolean refuses(ErrorChain chain, RetryContext call, ErrorHints hints) {
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            if (next.isMarked() || isAmong(excluded, next) || (patterns.length > 0 && isNamed(next, call, hints))) {
                return true;
            }
        }
        return false;
    }

    private boolean isNamed(ErrorChain link, RetryContext call, ErrorHints hints) {
        String code = hints.code(link, call);
        for (String pattern : patterns) {
            if (matches(pattern, code)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the error can be retried at its own request. An {@code Error} needs a listed {@code Error} type. */
    boolean admitsRequest(ErrorChain chain) {
        return !(chain.error() instanceof Error) || listedErrors.length > 0;
    }

    /** Returns whether the type is listed. For an {@code Error}, {@code Throwable} is not enough. */
    boolean lists(ErrorChain chain) {
        return isAnyAmong(chain.error() instanceof Error ? listedErrors : listed, chain);
    }

    /** Returns whether a recovery handles an error that is not retried. An {@code Error} needs a listed {@code Error} type. */
    boolean recovers(Throwable error) {
        if (recovered.length == 0 || error instanceof VirtualMachineError) {
            return false;
        }
        return isAnyAmong(error instanceof Error ? recoveredErrors : recovered, ErrorChain.of(error));
    }

    private static boolean isAnyAmong(Class<?>[] types, ErrorChain chain) {
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

    /** Returns whether a code equals the pattern, or is longer than the prefix before {@code *} and starts with it. */
    static boolean matches(String pattern, String code) {
        return pattern.endsWith("*")
                ? code.length() >= pattern.length() && code.regionMatches(0, pattern, 0, pattern.length() - 1)
                : pattern.equals(code);
    }
}

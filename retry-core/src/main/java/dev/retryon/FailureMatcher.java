// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Decides which errors a policy retries: by type, code and annotation of the error and its causes. */
final class FailureMatcher {

    private final PolicySettings settings;

    /** The listed types, and the exception of a limited attempt, which is retried although it is not listed. */
    private final List<Class<? extends Throwable>> listed;

    /** @param settings the settings, which do not change later */
    FailureMatcher(PolicySettings settings) {
        this.settings = settings;
        this.listed = new ArrayList<>(settings.exceptions);
        if (settings.attemptTimeout != null) {
            listed.add(AttemptTimeoutException.class);
        }
    }

    /** Returns whether the error must never be retried, because it is marked or excluded, or its code is listed. */
    boolean refuses(ErrorChain chain) {
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            if (next.isMarked() || isAmong(settings.excludes, next.error(), false) || isNamed(next)) {
                return true;
            }
        }
        return false;
    }

    private boolean isNamed(ErrorChain link) {
        if (settings.nonRetryableErrors.isEmpty()) {
            return false;
        }
        String code = link.code();
        return settings.nonRetryableErrors.stream().anyMatch(pattern -> matches(pattern, code));
    }

    /** Returns whether the error can be retried at its own request. An {@code Error} needs a listed {@code Error} type. */
    boolean admitsRequest(ErrorChain chain) {
        return !(chain.error() instanceof Error)
                || settings.exceptions.stream().anyMatch(Error.class::isAssignableFrom);
    }

    /** Returns whether the type is listed. For an {@code Error}, {@code Throwable} is not enough. */
    boolean lists(ErrorChain chain) {
        return isAnyAmong(listed, chain);
    }

    /** Returns whether a recovery handles an error that is not retried. An {@code Error} needs a listed {@code Error} type. */
    boolean recovers(ErrorChain chain) {
        return !(chain.error() instanceof VirtualMachineError) && isAnyAmong(settings.recoverOn, chain);
    }

    private static boolean isAnyAmong(Collection<Class<? extends Throwable>> types, ErrorChain chain) {
        boolean onlyErrorTypes = chain.error() instanceof Error;
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            if (isAmong(types, next.error(), onlyErrorTypes)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAmong(
            Collection<Class<? extends Throwable>> types, Throwable error, boolean onlyErrorTypes) {
        for (Class<?> type : types) {
            if (type.isInstance(error) && (!onlyErrorTypes || Error.class.isAssignableFrom(type))) {
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

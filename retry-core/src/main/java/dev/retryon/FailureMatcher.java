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
        this.listed = all.toArray(Class<?>[]::new);
        all.removeIf(type -> !Error.class.isAssignableFrom(type));
        this.listedErrors = all.toArray(Class<?>[]::new);
        this.excluded = policy.excludes().toArray(Class<?>[]::new);
        this.patterns = policy.nonRetryableErrors().toArray(String[]::new);
    }

    /** The directive of the error or of its nearest cause that has one. */
    static @Nullable RetryDirective directive(ErrorChain chain, RetryEngine engine) {
        if (chain.isHinted()) {
            for (Throwable next : chain.errors()) {
                RetryDirective directive = next instanceof RetryHint hint ? engine.ask(hint::directive) : null;
                if (directive != null) {
                    return directive;
                }
            }
        }
        return null;
    }

    /** Whether the error is never to be retried: marked, excluded, or of a code that is named. */
    boolean refuses(ErrorChain chain, RetryEngine engine) {
        return chain.isMarked() || areAmong(excluded, chain) || (patterns.length > 0 && isNamed(chain, engine));
    }

    private boolean isNamed(ErrorChain chain, RetryEngine engine) {
        for (Throwable next : chain.errors()) {
            String code = engine.errorCode(next);
            for (String pattern : patterns) {
                if (matches(pattern, code)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the error's type is listed. An {@code Error} wants an {@code Error} type, {@code Throwable} is not enough. */
    boolean lists(ErrorChain chain) {
        return areAmong(chain.errors()[0] instanceof Error ? listedErrors : listed, chain);
    }

    private static boolean areAmong(Class<?>[] types, ErrorChain chain) {
        for (Class<?> type : types) {
            for (Throwable next : chain.errors()) {
                if (type.isInstance(next)) {
                    return true;
                }
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

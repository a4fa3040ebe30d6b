package dev.retryon;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which errors a policy's lists name: by type, by code, by annotation. Looks at the error and then at its {@linkplain
 * Causes#chain causes}.
 */
final class FailureMatcher {

    private static final ClassValue<Boolean> MARKED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.isAnnotationPresent(DoNotRetry.class);
        }
    };

    private final Class<?>[] listed;

    private final Class<?>[] listedErrors;

    private final Class<?>[] excluded;

    private final String[] patterns;

    FailureMatcher(RetryPolicy policy) {
        Stream<Class<?>> limited =
                policy.attemptTimeout() == null ? Stream.empty() : Stream.of(AttemptTimeoutException.class);
        this.listed = Stream.concat(policy.exceptions().stream(), limited).toArray(Class<?>[]::new);
        this.listedErrors = policy.exceptions().stream()
                .filter(Error.class::isAssignableFrom)
                .toArray(Class<?>[]::new);
        this.excluded = policy.excludes().toArray(Class<?>[]::new);
        this.patterns = policy.nonRetryableErrors().toArray(String[]::new);
    }

    /** The directive of the error or of its nearest cause that has one. */
    static @Nullable RetryDirective directive(Throwable[] chain, RetryEngine engine) {
        for (Throwable next : chain) {
            RetryDirective directive = next instanceof RetryHint hint ? engine.ask(hint::directive) : null;
            if (directive != null) {
                return directive;
            }
        }
        return null;
    }

    /** Whether the error is never to be retried: marked, excluded, or of a code that is named. */
    boolean refuses(Throwable[] chain, RetryEngine engine) {
        for (Throwable next : chain) {
            if (refusesAlone(next, engine)) {
                return true;
            }
        }
        return false;
    }

    private boolean refusesAlone(Throwable error, RetryEngine engine) {
        if (MARKED.get(error.getClass()) || isInstance(excluded, error)) {
            return true;
        }
        if (patterns.length == 0) {
            return false;
        }
        String code = engine.errorCode(error);
        for (String pattern : patterns) {
            if (matches(pattern, code)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the error's type is listed. An {@code Error} wants an {@code Error} type, {@code Throwable} is not enough. */
    boolean lists(Throwable[] chain) {
        Class<?>[] types = chain[0] instanceof Error ? listedErrors : listed;
        for (Throwable next : chain) {
            if (isInstance(types, next)) {
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

    private static boolean isInstance(Class<?>[] types, Throwable error) {
        for (Class<?> type : types) {
            if (type.isInstance(error)) {
                return true;
            }
        }
        return false;
    }
}

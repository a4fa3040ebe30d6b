// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The numbers of an attempt in the log context. The values that they replace return at the end of the attempt. */
final class AttemptLogContext implements AutoCloseable {

    private static final String NAME = "retry.name";

    private static final String ATTEMPT = "retry.attempt";

    private static final String MAX_ATTEMPTS = "retry.max-attempts";

    private final @Nullable String outerName;

    private final @Nullable String outerAttempt;

    private final @Nullable String outerMaxAttempts;

    AttemptLogContext(String name, int attempt, int maxAttempts) {
        this.outerName = replace(NAME, name);
        this.outerAttempt = replace(ATTEMPT, Integer.toString(attempt));
        this.outerMaxAttempts = replace(MAX_ATTEMPTS, Integer.toString(maxAttempts));
    }

    private static @Nullable String replace(String key, String value) {
        String outer = MDC.get(key);
        MDC.put(key, value);
        return outer;
    }

    @Override
    public void close() {
        restore(NAME, outerName);
        restore(ATTEMPT, outerAttempt);
        restore(MAX_ATTEMPTS, outerMaxAttempts);
    }

    private static void restore(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }
}

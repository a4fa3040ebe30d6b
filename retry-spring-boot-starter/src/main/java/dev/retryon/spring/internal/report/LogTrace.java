// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.report;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The trace that a thread is part of, from where Spring Boot puts it for logs with either kind of tracing. */
public final class LogTrace {

    public static final String KEY = "traceId";

    private LogTrace() {}

    /** {@code null} if there is none, or if logging fails: the event matters more than its trace. */
    public static @Nullable String currentId() {
        try {
            return MDC.get(KEY);
        } catch (Throwable ex) {
            return null;
        }
    }
}

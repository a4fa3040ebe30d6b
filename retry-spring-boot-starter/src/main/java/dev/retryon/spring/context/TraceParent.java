/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.context;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A place in a trace as the W3C's Trace Context writes it. */
final class TraceParent {

    /** The name of the header: {@value}. */
    static final String HEADER = "traceparent";

    private static final Pattern FORMAT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private TraceParent() {}

    /** The id of the trace in a text that is one. */
    static String traceId(String valid) {
        return valid.substring(3, 35);
    }

    /** The text if it is one; else null. */
    static @Nullable String valid(@Nullable String text) {
        return text != null && FORMAT.matcher(text).matches() ? text : null;
    }
}

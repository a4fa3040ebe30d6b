/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.stored;

import dev.retryon.spring.internal.report.LogTrace;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The log context (MDC) of the caller. Dead letters do not keep it. */
public final class LogContexts implements CallContexts {

    private static final String PREFIX = "mdc.";

    /** The keys that RetryOn itself sets. */
    private static final String OWN = "retry.";

    /** The number of entries that are stored at most, and the length of each. */
    private static final int ENTRIES = 50;

    private static final int LENGTH = 500;

    @Override
    public void capture(Call call, Map<String, String> context) {
        Map<String, String> all = call.isLetter() ? null : MDC.getCopyOfContextMap();
        if (all == null) {
            return;
        }
        all.entrySet().stream()
                .filter(entry -> entry.getValue() != null && !entry.getKey().startsWith(OWN))
                .limit(ENTRIES)
                .forEach(entry -> context.put(PREFIX + entry.getKey(), cut(entry.getValue())));
    }

    static @Nullable String traceId(Map<String, String> context) {
        String id = context.get(PREFIX + LogTrace.KEY);
        return id == null ? null : cut(id);
    }

    private static String cut(String value) {
        return value.length() <= LENGTH ? value : value.substring(0, LENGTH);
    }

    @Override
    public Scope restore(Call call, Map<String, String> context) {
        Map<String, String> outer = MDC.getCopyOfContextMap();
        context.forEach((key, value) -> {
            if (key.startsWith(PREFIX)) {
                MDC.put(key.substring(PREFIX.length()), value);
            }
        });
        return () -> {
            if (outer == null) {
                MDC.clear();
            } else {
                MDC.setContextMap(outer);
            }
        };
    }
}

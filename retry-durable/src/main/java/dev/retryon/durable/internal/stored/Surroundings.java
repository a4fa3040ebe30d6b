/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.stored;

import dev.retryon.spi.FailedCall;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** All that surrounds calls which are made later. What fails is reported and left out. Thread-safe. */
public final class Surroundings {

    static final String TRACE_HEADER = "traceparent";

    private static final String TRACE_PARENT = "trace." + TRACE_HEADER;

    private static final Pattern TRACE_FORMAT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private final Supplier<List<CallContexts>> contexts;

    private final ExtensionErrors faults;

    /** Looks up nothing before the first call is stored. */
    public Surroundings(Supplier<List<CallContexts>> contexts, ExtensionErrors faults) {
        this.contexts = contexts;
        this.faults = faults;
    }

    public Map<String, String> capture(CallContexts.Call call) {
        Map<String, String> captured = new LinkedHashMap<>();
        for (CallContexts each : contexts.get()) {
            guarded(call, each, "a stored call", () -> each.capture(call, captured));
        }
        return captured;
    }

    /**
     * The place in a trace that is to be stored with a dead letter, as the W3C's Trace Context writes it; {@code null} if
     * nothing is traced, or in another format.
     */
    public @Nullable String traceParent(FailedCall call) {
        return traceParent(capture(new CallContexts.Call(
                true,
                call.state().callId(),
                call.name(),
                call.subject().key(),
                call.state().attempt())));
    }

    /** The place in a trace that was stored with a call, as the W3C's Trace Context writes it, or {@code null}. */
    public static @Nullable String traceParent(Map<String, String> context) {
        return validTraceParent(context.get(TRACE_PARENT));
    }

    /** The id of the trace that a stored call is part of, or {@code null}. */
    public static @Nullable String traceId(Map<String, String> context) {
        String parent = traceParent(context);
        return parent == null ? LogContexts.traceId(context) : parent.substring(3, 35);
    }

    /** Begins to make a call with the context that was stored with it. */
    public CallContexts.Scope restore(CallContexts.Call call, Map<String, String> context) {
        Deque<CallContexts.Scope> scopes = new ArrayDeque<>();
        for (CallContexts each : contexts.get()) {
            guarded(call, each, "an attempt", () -> scopes.push(each.restore(call, context)));
        }
        return new CallContexts.Scope() {
            @Override
            public void close() {
                scopes.forEach(scope -> guarded(call, scope, "an attempt", scope::close));
            }

            @Override
            public void end(@Nullable Throwable error) {
                scopes.forEach(scope -> guarded(call, scope, "an attempt", () -> scope.end(error)));
            }
        };
    }

    /** Returns the context of a call that continues a trace, if {@link #traceParent} has returned one. */
    public static Map<String, String> context(@Nullable String traceParent) {
        return traceParent == null ? Map.of() : Map.of(TRACE_PARENT, traceParent);
    }

    /** Returns a text that has the format of the Trace Context; {@code null} for any other. */
    static @Nullable String validTraceParent(@Nullable String text) {
        return text != null && TRACE_FORMAT.matcher(text).matches() ? text : null;
    }

    private void guarded(CallContexts.Call call, Object who, String what, Runnable action) {
        try {
            action.run();
        } catch (Throwable ex) {
            faults.report(
                    ExtensionErrors.Kind.OBSERVATION,
                    call.name(),
                    who.getClass().getName() + " failed, so " + what + " runs without a part of its context",
                    ex);
        }
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.context;

import dev.retryon.FailedCall;
import dev.retryon.spring.settings.RuntimeFaults;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that surrounds calls which are made later. What fails is reported and left out. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Surroundings {

    private static final String TRACE_PARENT = "trace." + TraceParent.HEADER;

    private final Supplier<List<CallContexts>> contexts;

    private final RuntimeFaults faults;

    /**
     * Creates it; nothing is asked for before the first call is stored.
     *
     * @param contexts know what surrounds a call
     * @param faults receives their failures
     */
    public Surroundings(Supplier<List<CallContexts>> contexts, RuntimeFaults faults) {
        this.contexts = contexts;
        this.faults = faults;
    }

    /**
     * What is to be stored with a call.
     *
     * @param call the call
     * @return short texts
     */
    public Map<String, String> capture(CallContexts.Call call) {
        Map<String, String> captured = new LinkedHashMap<>();
        for (CallContexts each : contexts.get()) {
            guarded(call, each, "a stored call", () -> each.capture(call, captured));
        }
        return captured;
    }

    /**
     * The place in a trace that is to be stored with a dead letter.
     *
     * @param call the call
     * @return as the W3C's Trace Context writes it; {@code null} if nothing is traced, or in another format
     */
    public @Nullable String traceParent(FailedCall call) {
        return TraceParent.valid(capture(new CallContexts.Call(
                        CallContexts.Form.DEAD_LETTER,
                        call.state().callId(),
                        call.name(),
                        call.subject().key(),
                        call.state().attempt()))
                .get(TRACE_PARENT));
    }

    /**
     * The place in a trace that was stored with a call.
     *
     * @param context what {@link #capture} has returned; perhaps edited since
     * @return as the W3C's Trace Context writes it, or {@code null}
     */
    public static @Nullable String traceParent(Map<String, String> context) {
        return TraceParent.valid(context.get(TRACE_PARENT));
    }

    /**
     * The trace that a stored call is part of.
     *
     * @param context what {@link #capture} has returned; perhaps edited since
     * @return its id, or {@code null}
     */
    public static @Nullable String traceId(Map<String, String> context) {
        String parent = traceParent(context);
        return parent == null ? LogContexts.traceId(context) : TraceParent.traceId(parent);
    }

    /**
     * Begins to make a call.
     *
     * @param call the call
     * @param context what was stored with it
     * @return the surroundings of the thread
     */
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

    /**
     * Begins to send a dead letter again.
     *
     * @param call the call
     * @param traceParent what {@link #traceParent} has returned, or {@code null}; perhaps edited since
     * @return the surroundings of the thread
     */
    public CallContexts.Scope restore(CallContexts.Call call, @Nullable String traceParent) {
        return restore(call, context(traceParent));
    }

    /**
     * What is to be stored with a call that continues a trace.
     *
     * @param traceParent what {@link #traceParent} has returned, or {@code null}; perhaps edited since
     * @return as {@link #capture} returns it
     */
    public static Map<String, String> context(@Nullable String traceParent) {
        return traceParent == null ? Map.of() : Map.of(TRACE_PARENT, traceParent);
    }

    private void guarded(CallContexts.Call call, Object who, String what, Runnable action) {
        try {
            action.run();
        } catch (Throwable ex) {
            faults.report(
                    RuntimeFaults.Kind.OBSERVATION,
                    call.name(),
                    who.getClass().getName() + " failed, so " + what + " lacks a part of its context",
                    ex);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.FailedCall;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.StarterLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The context of calls that run later: the caller's log context (MDC), which dead letters do not keep, and the caller's
 * trace. An error in one of them is reported, and the call runs without it. Thread-safe.
 */
public final class Surroundings {

    static final String TRACE_HEADER = "traceparent";

    private static final String TRACE_PARENT = "trace." + TRACE_HEADER;

    private static final Pattern TRACE_FORMAT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private static final String LOG = "mdc.";

    /** The prefix of entries that RetryOn itself adds to the log context. */
    private static final String OWN = "retry.";

    private static final int MOST_LOG_ENTRIES = 50;

    private static final int LONGEST_LOG_ENTRY = 500;

    private final @Nullable ObservedContexts traces;

    private final ExtensionErrors errors;

    /** @param traces {@code null} without Micrometer */
    public Surroundings(@Nullable ObservedContexts traces, ExtensionErrors errors) {
        this.traces = traces;
        this.errors = errors;
    }

    /**
     * A call that is stored, perhaps as a dead letter, or run.
     *
     * @param method the canonical name of the method, {@link dev.retryon.CallSubject#key()}
     * @param attempt the number of the attempt that has failed or runs; 0 before the first one
     */
    public record Call(boolean isLetter, String id, String name, String method, int attempt) {}

    /** Returns the context of this thread as short texts, which are stored with a call. */
    public Map<String, String> capture(Call call) {
        Map<String, String> captured = new LinkedHashMap<>();
        if (!call.isLetter()) {
            guarded(call, "the log context", () -> captureLog(captured));
        }
        ObservedContexts observed = traces;
        if (observed != null) {
            guarded(call, "the trace", () -> observed.capture(call, captured));
        }
        return captured;
    }

    private static void captureLog(Map<String, String> context) {
        Map<String, String> all = MDC.getCopyOfContextMap();
        if (all != null) {
            all.entrySet().stream()
                    .filter(entry -> entry.getValue() != null && !entry.getKey().startsWith(OWN))
                    .limit(MOST_LOG_ENTRIES)
                    .forEach(entry -> context.put(LOG + entry.getKey(), cut(entry.getValue())));
        }
    }

    private static String cut(String value) {
        return value.length() <= LONGEST_LOG_ENTRY ? value : value.substring(0, LONGEST_LOG_ENTRY);
    }

    /** Returns the place in a trace for a dead letter, in the format of W3C Trace Context, or {@code null} without one. */
    public @Nullable String traceParent(FailedCall call) {
        return traceParent(capture(new Call(
                true,
                call.state().callId(),
                call.name(),
                call.subject().key(),
                call.state().attempt())));
    }

    /** Returns the place in a trace that was stored with a call, in the format of the W3C's Trace Context, or {@code null}. */
    public static @Nullable String traceParent(Map<String, String> context) {
        return validTraceParent(context.get(TRACE_PARENT));
    }

    /** Returns the id of the trace that a stored call is part of, or {@code null}. */
    public static @Nullable String traceId(Map<String, String> context) {
        String parent = traceParent(context);
        if (parent != null) {
            return parent.substring(3, 35);
        }
        String logged = context.get(LOG + StarterLog.TRACE);
        return logged == null ? null : cut(logged);
    }

    /** Returns the context of a call that continues a trace, if {@link #traceParent} has returned one. */
    public static Map<String, String> context(@Nullable String traceParent) {
        return traceParent == null ? Map.of() : Map.of(TRACE_PARENT, traceParent);
    }

    /** Returns a text if it has the format of the Trace Context, and otherwise {@code null}. */
    static @Nullable String validTraceParent(@Nullable String text) {
        return text != null && TRACE_FORMAT.matcher(text).matches() ? text : null;
    }

    /** Begins to run a call with its context from {@link #capture}, perhaps of another process, and perhaps edited since. */
    public Scope restore(Call call, Map<String, String> context) {
        Scope scope = new Scope(call);
        guarded(call, "the log context", () -> scope.restoreLog(context));
        ObservedContexts observed = traces;
        if (observed != null) {
            guarded(call, "the trace", () -> scope.attempt = observed.restore(call, context));
        }
        return scope;
    }

    public final class Scope implements AutoCloseable {

        private final Call call;

        private @Nullable Map<String, String> outerLog;

        private ObservedContexts.@Nullable Attempt attempt;

        private Scope(Call call) {
            this.call = call;
        }

        private void restoreLog(Map<String, String> context) {
            outerLog = MDC.getCopyOfContextMap();
            context.forEach((key, value) -> {
                if (key.startsWith(LOG)) {
                    MDC.put(key.substring(LOG.length()), value);
                }
            });
        }

        /** Restores the previous context of the thread. Called on the thread on which the context was restored. */
        @Override
        public void close() {
            ObservedContexts.Attempt observed = attempt;
            if (observed != null) {
                guarded(call, "the trace", observed::close);
            }
            Map<String, String> log = outerLog;
            guarded(call, "the log context", log == null ? MDC::clear : () -> MDC.setContextMap(log));
        }

        /**
         * Ends the call or the attempt. Called once, after {@link #close}, on any thread.
         *
         * @param error the error with which the call or attempt ended; {@code null} if it succeeded, or if the error was
         *     already observed
         */
        public void end(@Nullable Throwable error) {
            ObservedContexts.Attempt observed = attempt;
            if (observed != null) {
                guarded(call, "the trace", () -> observed.end(error));
            }
        }
    }

    private void guarded(Call call, String part, Runnable action) {
        try {
            action.run();
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.OBSERVATION,
                    call.name(),
                    "an error occurred in " + part + ", so a stored call runs without part of its context",
                    ex);
        }
    }
}

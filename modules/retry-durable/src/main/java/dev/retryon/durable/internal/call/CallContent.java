// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.invocation.MethodHash;
import dev.retryon.spring.module.RetrySettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call as it is stored.
 *
 * @param bean the name of the called bean; {@code null} if it is unknown
 * @param context the context of the call's caller
 */
record CallContent(
        String key,
        String name,
        @Nullable String bean,
        String arguments,
        CallState state,
        Duration delay,
        RetrySettings override,
        Map<String, String> context) {

    /** The context entry of a call that is run for a dead letter. */
    static final String DEAD_LETTER = "retryon.dead-letter";

    /** Returns a substitute for a call that cannot be read, with the call's text, truncated like arguments, if it is known. */
    static CallContent unreadable(String id, String raw, Instant now) {
        return new CallContent(
                DeadLetter.UNREADABLE,
                DeadLetter.UNREADABLE,
                null,
                raw,
                CallState.first(id, now),
                Duration.ZERO,
                RetrySettings.NONE,
                Map.of());
    }

    boolean isReadable() {
        return !key.equals(DeadLetter.UNREADABLE); // a method's key contains a hash
    }

    /** Returns whether the call is run for a dead letter, which has the same id. */
    boolean isOfDeadLetter() {
        return context.containsKey(DEAD_LETTER);
    }

    CallContent after(CallState next, Duration wait) {
        return new CallContent(key, name, bean, arguments, next, wait, override, context);
    }

    /** Returns the content without the history of attempts, which becomes longer with each attempt. */
    CallContent withoutHistory() {
        ErrorText error = state.error();
        CallState bare = new CallState(
                state.callId(),
                state.attempt(),
                state.lastDelay(),
                state.startedAt(),
                List.of(),
                error == null ? null : new ErrorText(error.type(), null),
                state.failedAt(),
                state.firstFailedAt());
        return after(bare, delay);
    }

    CallEngine.Label label(String lane) {
        ErrorText error = state.error();
        return new CallEngine.Label(
                name,
                error == null ? null : error.type(),
                state.attempt(),
                state.startedAt(),
                lane,
                MethodHash.of(key));
    }

    /** Returns a text without arguments, which can be secret. */
    @Override
    public String toString() {
        return name + " " + state.callId();
    }
}

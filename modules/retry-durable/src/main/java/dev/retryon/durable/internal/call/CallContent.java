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
 * @param bean the name of the bean that was called; {@code null} if it is not known
 * @param context the context of its caller
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

    /** The entry of the context of a call that is run for a dead letter. */
    static final String DEAD_LETTER = "retryon.dead-letter";

    /**
     * Returns a substitute for a call that can't be read.
     *
     * @param raw as much of its text as arguments may have; empty if it is not known
     */
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
        return !key.equals(DeadLetter.UNREADABLE); // the key of a method has a hash
    }

    /** Whether the call is run for a dead letter, which has the same id. */
    boolean isOfDeadLetter() {
        return context.containsKey(DEAD_LETTER);
    }

    CallContent after(CallState next, Duration wait) {
        return new CallContent(key, name, bean, arguments, next, wait, override, context);
    }

    /** Without the history of its attempts, which makes it longer with each. */
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

    /** Without arguments, which may be secret. */
    @Override
    public String toString() {
        return name + " " + state.callId();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.backoff.DurationText;
import dev.retryon.durable.StoredCall;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.json.JsonParser;
import org.springframework.boot.json.JsonParserFactory;

/**
 * A {@link StoredCall} in a response. If values are not shown, texts that can contain secrets are {@code ******}.
 *
 * @param waitsFor the id of the call for which a blocked call waits
 * @param arguments the call's arguments as JSON; a text if they are not JSON
 */
public record CallDescription(
        String id,
        String method,
        @Nullable String signature,
        @Nullable String bean,
        @Nullable Object arguments,
        String state,
        @Nullable String reason,
        @Nullable String error,
        @Nullable String errorCode,
        @Nullable String message,
        @Nullable String stackTrace,
        @Nullable String lane,
        int attempts,
        List<Failure> failures,
        @Nullable Instant startedAt,
        @Nullable Instant due,
        @Nullable Instant runningSince,
        @Nullable String attemptTimeout,
        @Nullable Instant firstFailedAt,
        @Nullable Instant diedAt,
        @Nullable String traceId,
        @Nullable String problem,
        @Nullable String waitsFor,
        List<Action> actions)
        implements OperationResponseBody {

    static CallDescription of(StoredCall call, boolean withValues) {
        return new CallDescription(
                call.id(),
                call.name(),
                call.method(),
                call.bean(),
                arguments(call.arguments(), withValues),
                CallRequest.tag(call.state()),
                call.reason() == null ? null : CallRequest.tag(call.reason()),
                call.errorType(),
                call.errorCode(),
                shown(call.errorMessage(), withValues),
                shown(call.stackTrace(), withValues),
                call.lane(),
                call.attempts(),
                call.failures().stream()
                        .map(failure -> new Failure(
                                failure.attempt(),
                                failure.errorType(),
                                shown(failure.errorMessage(), withValues),
                                failure.at()))
                        .toList(),
                call.startedAt(),
                call.due(),
                call.runningSince(),
                call.attemptTimeout() == null ? null : DurationText.print(call.attemptTimeout()),
                call.firstFailedAt(),
                call.diedAt(),
                call.traceId(),
                shown(call.problem(), withValues),
                call.waitsFor(),
                call.actions().stream()
                        .map(action -> new Action(
                                action.at(),
                                action.by(),
                                CallRequest.tag(action.what()),
                                shown(action.detail(), withValues)))
                        .toList());
    }

    static @Nullable String shown(@Nullable String text, boolean withValues) {
        return text == null || withValues ? text : SanitizableData.SANITIZED_VALUE;
    }

    private static @Nullable Object arguments(@Nullable String arguments, boolean withValues) {
        if (arguments == null || !withValues) {
            return shown(arguments, withValues);
        }
        try {
            JsonParser parser = JsonParserFactory.getJsonParser();
            return arguments.startsWith("{") ? parser.parseMap(arguments) : parser.parseList(arguments);
        } catch (RuntimeException ex) {
            return arguments; // the row was changed manually
        }
    }

    public record Failure(
            int attempt,
            @Nullable String error,
            @Nullable String message,
            @Nullable Instant at) {}

    /** A change of the call: {@code resent}, {@code died}, {@code resolved} or {@code discarded}. */
    public record Action(
            Instant at,
            @Nullable String by,
            String what,
            @Nullable String detail) {}
}

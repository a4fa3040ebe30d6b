// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.deadletter.DeadLetter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.json.JsonParser;
import org.springframework.boot.json.JsonParserFactory;

/**
 * A dead letter with all its data. If values are not shown, texts that may contain secrets are {@code ******}.
 *
 * @param arguments its arguments as JSON; a text if they are no JSON, {@code null} if they were not stored or can't be redacted
 * @param error the class of the last error; {@code null} for a returned value
 * @param attempts the number of attempts since the call was last sent
 */
record DeadLetterDescription(
        String id,
        String method,
        String signature,
        @Nullable String bean,
        @Nullable Object arguments,
        @Nullable String error,
        @Nullable String errorCode,
        @Nullable String message,
        @Nullable String stackTrace,
        String reason,
        int attempts,
        List<Failure> failures,
        Instant firstFailedAt,
        Instant diedAt,
        String status,
        @Nullable String traceId,
        List<Action> actions)
        implements OperationResponseBody {

    static DeadLetterDescription of(DeadLetter letter, boolean withValues) {
        return new DeadLetterDescription(
                letter.id(),
                letter.name(),
                letter.method(),
                letter.bean(),
                withValues ? parsed(letter.arguments()) : shown(letter.arguments(), false),
                letter.errorType(),
                letter.errorCode(),
                shown(letter.errorMessage(), withValues),
                shown(letter.stackTrace(), withValues),
                LetterRequest.tag(letter.reason()),
                letter.attempts(),
                letter.failures().stream()
                        .map(failure -> Failure.of(failure, withValues))
                        .toList(),
                letter.firstFailedAt(),
                letter.diedAt(),
                LetterRequest.tag(letter.status()),
                letter.traceId(),
                letter.actions().stream()
                        .map(action -> new Action(
                                action.at(),
                                action.by(),
                                LetterRequest.tag(action.what()),
                                shown(action.detail(), withValues)))
                        .toList());
    }

    static @Nullable String shown(@Nullable String text, boolean withValues) {
        return text == null || withValues ? text : SanitizableData.SANITIZED_VALUE;
    }

    static @Nullable Object parsed(@Nullable String arguments) {
        try {
            JsonParser parser = JsonParserFactory.getJsonParser();
            return arguments == null
                    ? null
                    : arguments.startsWith("{") ? parser.parseMap(arguments) : parser.parseList(arguments);
        } catch (RuntimeException ex) {
            return arguments; // the row was changed by hand
        }
    }

    /**
     * An attempt that failed.
     *
     * @param error the class of its error; {@code null} if it returned a value that must be retried
     * @param at when it failed; {@code null} if that is not known
     */
    public record Failure(
            int attempt,
            @Nullable String error,
            @Nullable String message,
            @Nullable Instant at) {

        static Failure of(DeadLetter.Failure failure, boolean withValues) {
            return new Failure(
                    failure.attempt(), failure.errorType(), shown(failure.errorMessage(), withValues), failure.at());
        }
    }

    /**
     * A change of a dead letter.
     *
     * @param by the user who made it; {@code null} for a process, or if the user is not known
     */
    public record Action(
            Instant at,
            @Nullable String by,
            String status,
            @Nullable String detail) {}
}

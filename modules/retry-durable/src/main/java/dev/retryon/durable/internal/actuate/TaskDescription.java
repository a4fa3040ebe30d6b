// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.StoredCalls;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A task that changes many calls; its id is {@code null} for a dry run.
 *
 * @param before the task changes only calls that died or started before this time; send it again after a dry run
 * @param failure the error that has ended the task, without its message unless values are shown; or {@code null}
 */
public record TaskDescription(
        @Nullable String task,
        String action,
        String state,
        long matched,
        long moved,
        long skipped,
        Instant startedAt,
        Instant before,
        @Nullable String failure)
        implements OperationResponseBody {

    static TaskDescription of(StoredCalls.Task task, boolean withValues) {
        return new TaskDescription(
                task.state() == StoredCalls.Task.State.DRY_RUN ? null : task.id(),
                CallRequest.verb(task.action()),
                CallRequest.tag(task.state()),
                task.matched(),
                task.moved(),
                task.skipped(),
                task.startedAt(),
                task.before(),
                withValues ? task.failure() : type(task.failure()));
    }

    /** Returns the class of an error without its message, which can contain a statement and its values. */
    private static @Nullable String type(@Nullable String failure) {
        return failure == null ? null : failure.split(":", 2)[0];
    }
}

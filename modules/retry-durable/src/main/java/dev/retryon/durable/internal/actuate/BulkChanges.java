// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.DeadLetters;
import dev.retryon.spring.internal.actuate.ChangeAudit;
import dev.retryon.spring.internal.actuate.Refused;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Changes many dead letters or durable calls for their endpoints, and records the changes as audit events. */
final class BulkChanges {

    static final String RETRY = "retry";

    static final String DISCARD = "discard";

    static final String GIVE_UP = "give-up";

    static final String CANCEL = "cancel";

    private static final int ACCEPTED = 202;

    private static final int CONFLICT = 409;

    private final ChangeAudit audit;

    BulkChanges(ChangeAudit audit) {
        this.audit = audit;
    }

    WebEndpointResponse<Object> selected(String action, List<String> ids, Predicate<String> step, @Nullable String by) {
        List<String> moved = ids.stream().filter(step).toList();
        if (!moved.isEmpty()) {
            audit.changed(by, action, Map.of("ids", moved));
        }
        List<String> skipped = ids.stream().filter(id -> !moved.contains(id)).toList();
        return new WebEndpointResponse<>(new Selected(moved, skipped));
    }

    /** Starts a task, or only counts what it would change. */
    WebEndpointResponse<Object> matching(
            String action,
            Object filter,
            boolean isDryRun,
            Supplier<DeadLetters.Task> start,
            @Nullable String by,
            boolean withValues) {
        DeadLetters.Task task;
        try {
            task = start.get();
        } catch (IllegalStateException ex) {
            return Refused.because(CONFLICT, String.valueOf(ex.getMessage()));
        }
        if (isDryRun) {
            return new WebEndpointResponse<>(Description.of(task, withValues));
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("task", task.id());
        data.put("matched", task.matched());
        data.put("filter", filter.toString());
        audit.changed(by, action, data);
        return new WebEndpointResponse<>(Description.of(task, withValues), ACCEPTED);
    }

    WebEndpointResponse<Object> cancel(Optional<DeadLetters.Task> latest, @Nullable String by, boolean withValues) {
        DeadLetters.Task task = latest.orElse(null);
        if (task == null || !task.cancel()) {
            return Refused.because(CONFLICT, "no task is running in this process");
        }
        audit.changed(by, CANCEL, Map.of("task", task.id()));
        return new WebEndpointResponse<>(Description.of(task, withValues));
    }

    /**
     * The result of a request for some ids.
     *
     * @param skipped the ids of those that are unknown or whose state does not allow the change
     */
    record Selected(List<String> moved, List<String> skipped) implements OperationResponseBody {}

    /**
     * A task that changes many dead letters or durable calls.
     *
     * @param task its id; {@code null} for a dry run
     * @param before the time before which its dead letters died, or its calls started: the {@code before} of the request that
     *     follows a dry run
     * @param failure the error that has ended it, without its message unless values are shown; or {@code null}
     */
    record Description(
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

        static Description of(DeadLetters.Task task, boolean withValues) {
            return new Description(
                    task.state() == DeadLetters.Task.State.DRY_RUN ? null : task.id(),
                    switch (task.action()) {
                        case RETRYING -> RETRY;
                        case DEAD -> GIVE_UP;
                        default -> DISCARD;
                    },
                    LetterRequest.tag(task.state()),
                    task.matched(),
                    task.moved(),
                    task.skipped(),
                    task.startedAt(),
                    task.before(),
                    withValues ? task.failure() : type(task.failure()));
        }

        /** The class of an error, whose message may show a statement and its values. */
        private static @Nullable String type(@Nullable String failure) {
            return failure == null ? null : failure.split(":", 2)[0];
        }
    }
}

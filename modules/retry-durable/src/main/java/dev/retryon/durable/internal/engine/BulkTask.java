// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A bulk task as it was started. The filter selects calls of one section, before a time.
 *
 * @param by the user who started the task; {@code null} if unknown
 */
public record BulkTask(
        String id,
        Task.Action action,
        Filter filter,
        int maxPerSecond,
        @Nullable String by,
        @Nullable String reason,
        Instant startedAt,
        long matched) {

    public BulkTask {
        Objects.requireNonNull(id);
        Objects.requireNonNull(action);
        Objects.requireNonNull(filter);
        Objects.requireNonNull(startedAt);
    }

    /** Returns whether the task sets due times. Its cancellation then reverts the calls that no worker has leased since. */
    public boolean sends() {
        return action == Task.Action.RUN_NOW || action == Task.Action.RESEND;
    }

    public Duration interval() {
        return Duration.ofSeconds(1).dividedBy(maxPerSecond);
    }

    public enum Phase {
        CHANGING,

        /** All calls are changed, and the last ones run. */
        ENDING,

        CANCELLING
    }

    /**
     * The progress of a task.
     *
     * @param position where the list of the task's calls continues; {@code null} for the beginning
     * @param next when the next call is due, or is changed, by the store's clock; 1970 before the first call
     */
    public record Progress(
            Task.State state,
            Phase phase,
            long moved,
            long skipped,
            @Nullable String position,
            Instant next,
            @Nullable String failure) {

        public Progress {
            Objects.requireNonNull(state);
            Objects.requireNonNull(phase);
            Objects.requireNonNull(next);
        }

        public static final Progress NONE =
                new Progress(Task.State.RUNNING, Phase.CHANGING, 0, 0, null, Instant.EPOCH, null);

        public boolean runs() {
            return state == Task.State.RUNNING;
        }

        public Progress cancelling() {
            return new Progress(state, Phase.CANCELLING, moved, skipped, null, next, null);
        }

        public Progress ended(Task.State end, @Nullable String why) {
            return new Progress(end, phase, moved, skipped, null, next, why);
        }

        /** Returns the progress after some calls; the last position is {@code null} if they are the last calls of the task. */
        public Progress after(BulkTask task, int calls, int done, @Nullable String last, Instant then) {
            boolean isCancelling = phase == Phase.CANCELLING;
            Progress changed = new Progress(
                    state,
                    last == null && !isCancelling ? Phase.ENDING : phase,
                    isCancelling ? moved - done : moved + done,
                    isCancelling ? skipped : skipped + calls - done,
                    last,
                    then,
                    null);
            if (last != null || (!isCancelling && task.sends())) {
                return changed;
            }
            return changed.ended(isCancelling ? Task.State.CANCELLED : Task.State.DONE, null);
        }
    }
}

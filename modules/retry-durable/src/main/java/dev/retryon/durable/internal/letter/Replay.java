// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A dead letter that this process resends: the data of its call, and its state. */
final class Replay {

    private final String id;

    private final String name;

    private final RetriedMethod method;

    private final @Nullable String bean;

    private final @Nullable Object[] arguments;

    private final @Nullable String traceParent;

    private final DeadLetterStore.Hold hold;

    /** When the hold was extended last, by the monotonic clock. */
    private volatile long extendedAt;

    private final AtomicBoolean begun = new AtomicBoolean();

    private volatile boolean lost;

    private volatile boolean recorded;

    private volatile @Nullable StopReason reason;

    Replay(
            DeadLetter letter,
            RetriedMethod method,
            @Nullable Object[] arguments,
            DeadLetterStore.Hold hold,
            long extendedAt) {
        this.id = letter.id();
        this.name = letter.name();
        this.method = method;
        this.bean = letter.bean();
        this.arguments = arguments;
        this.hold = hold;
        this.traceParent = letter.traceParent();
        this.extendedAt = extendedAt;
    }

    String id() {
        return id;
    }

    String name() {
        return name;
    }

    RetriedMethod method() {
        return method;
    }

    @Nullable String bean() {
        return bean;
    }

    @Nullable Object[] arguments() {
        return arguments;
    }

    Surroundings.Call call() {
        return new Surroundings.Call(true, id, name, method.key().toString(), 0);
    }

    /** The trace of the call as it was stored; {@code null} if it is not known. */
    @Nullable String traceParent() {
        return traceParent;
    }

    /** Begins the call, or gives it back without running it; returns {@code false} if that was decided before. */
    boolean begin() {
        return begun.compareAndSet(false, true);
    }

    /** The hold on the dead letter, as it was when the dead letter was taken. */
    DeadLetterStore.Hold hold() {
        return hold;
    }

    /** Another process has taken the dead letter: nothing of this call is recorded any more. */
    void lost() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    long extendedAt() {
        return extendedAt;
    }

    void extended(long at) {
        extendedAt = at;
    }

    /** Records that the call has ended and that the store has its result. */
    void recorded() {
        recorded = true;
    }

    boolean isRecorded() {
        return recorded;
    }

    void failed(StopReason why) {
        reason = why;
    }

    /** Why the call failed; {@code null} if it did not, or if it did not run. */
    @Nullable StopReason reason() {
        return reason;
    }
}

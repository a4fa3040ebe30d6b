/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import dev.retryon.CallSubject;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.spi.DeadLetterQueue;
import dev.retryon.spi.FailedCall;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.LogTrace;
import java.time.Clock;

/**
 * Keeps calls that have failed for good, with their arguments and the name of their bean. A call that can't be kept is counted;
 * the engine logs it, and suppresses the reason in the error that the caller gets.
 */
final class LetterQueue implements DeadLetterQueue {

    private final LetterStore store;

    private final DeadLetterOffice.Parts parts;

    private final Replays replays;

    private final Clock clock;

    LetterQueue(LetterStore store, DeadLetterOffice.Parts parts, Replays replays, Clock clock) {
        this.store = store;
        this.parts = parts;
        this.replays = replays;
        this.clock = clock;
    }

    @Override
    public void add(FailedCall call) throws Exception {
        Replay replay = replays.find(call.state().callId());
        if (replay != null) {
            replay.failed(call.reason());
        }
        if (replay == null) {
            store.put(letter(call, false), null);
        } else if (store.put(letter(call, true), replay.hold())) {
            replay.kept();
        } else {
            replay.lost();
            throw new IllegalStateException(
                    "another process has taken the dead letter, because the lease of this process has expired; the"
                            + " failure of this call is not recorded");
        }
    }

    private DeadLetter letter(FailedCall call, boolean sentAgain) {
        CallSubject subject = call.subject();
        RetriedMethod method = parts.methods().find(subject.key());
        String bean = method == null ? null : parts.methods().beanName(method.beanClass(), subject.target());
        // Of a call without a method, such as that of a lambda, there is nothing that could be sent again. And one was
        // sent again keeps the arguments that it had: attempts may have changed theirs.
        String encoded = method == null || sentAgain
                ? null
                : parts.arguments().encode(method.beanClass(), method.method(), subject.arguments());
        return DeadLetter.of(
                call, bean, encoded, LogTrace.currentId(), parts.surroundings().traceParent(call), clock.instant());
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks hints and resolvers, which may know something but may not break the call. */
final class UserCode {

    private UserCode() {}

    /** The answer; {@code null} if there is none, or the question fails. */
    static <R> @Nullable R ask(Supplier<@Nullable R> question) {
        try {
            return question.get();
        } catch (Throwable ex) {
            Interruption.keep(ex);
            CoreLog.warn("a retry hint or resolver failed and is ignored", ex);
            return null;
        }
    }

    /** The participants; none if they can't be looked up. */
    static <T> T[] all(Participants<T> participants) {
        try {
            return participants.all();
        } catch (Throwable ex) {
            Interruption.keep(ex);
            CoreLog.warn("the retry listeners or resolvers can't be looked up; the call goes on without them", ex);
            return participants.none();
        }
    }
}

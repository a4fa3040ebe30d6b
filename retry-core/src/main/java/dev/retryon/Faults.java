/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.RetryFaultListener.Source;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where an engine reports what users plugged in and what fails. Reporting never throws. */
final class Faults {

    /** The number of different faults that are logged at most. */
    private static final int MAX_LOGGED = 1000;

    private final @Nullable RetryFaultListener listener;

    /** What was logged, as text: no class of the application is kept. */
    private final Set<String> logged = ConcurrentHashMap.newKeySet(1);

    Faults(@Nullable RetryFaultListener listener) {
        this.listener = listener;
    }

    /** Reports a fault; an interrupt that it stands for is set again. */
    void report(Source source, String name, String sentence, Throwable cause) {
        Interruption.keep(cause);
        if (listener == null) {
            logOnce(name, sentence, cause);
            return;
        }
        try {
            listener.onFault(source, name, sentence, cause);
        } catch (Throwable ex) {
            Interruption.keep(ex);
            logOnce(RetryFaultListener.ANY, "the listener of faults failed", ex);
            logOnce(name, sentence, cause);
        }
    }

    private void logOnce(String name, String sentence, Throwable cause) {
        String message = (name.equals(RetryFaultListener.ANY) ? "" : name + ": ") + sentence;
        if (logged.size() < MAX_LOGGED && logged.add(message + cause.getClass().getName())) {
            CoreLog.warn(message + " (logged once for " + cause.getClass().getName() + ")", cause);
        }
    }

    /** What a hint or resolver answers; {@code null} if it has no answer or fails. */
    <R> @Nullable R ask(Object asked, Supplier<@Nullable R> question) {
        try {
            return question.get();
        } catch (Throwable ex) {
            String what = asked instanceof RetryHint ? "the hint of " : "the resolver ";
            report(Source.RESOLVER, RetryFaultListener.ANY, what + type(asked) + " failed and is ignored", ex);
            return null;
        }
    }

    /** The participants; none if they can't be looked up. */
    <T> T[] all(Source source, Participants<T> participants) {
        try {
            return participants.all();
        } catch (Throwable ex) {
            report(
                    source,
                    RetryFaultListener.ANY,
                    "the retry listeners or resolvers can't be looked up; the call goes on without them",
                    ex);
            return participants.none();
        }
    }

    /** The text of something that users plugged in, or its class if it has no text of its own. */
    static String print(Object participant) {
        try {
            String text = participant.toString();
            return text.startsWith(participant.getClass().getName() + "@") ? type(participant) : text;
        } catch (Throwable ex) {
            return type(participant);
        }
    }

    /** The class of something that users plugged in; of a lambda, whose class has no name, the one that it stands in. */
    static String type(Object participant) {
        String name = participant.getClass().getName();
        int lambda = name.indexOf("$$Lambda");
        return lambda < 0 ? name : "a lambda in " + name.substring(0, lambda);
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import dev.retryon.RetryFaultListener;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * What goes wrong while the application runs, outside the calls themselves: a listener, a gate or a meter registry that
 * throws. Each fault is counted; the first of a kind, name and error class is logged at WARN. Reporting never throws.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class RuntimeFaults implements RetryFaultListener {

    /** The number of different faults that are logged at most; all are counted. */
    private static final int MAX_LOGGED = 1000;

    private final Map<Counted, LongAdder> counts = new ConcurrentHashMap<>();

    private final Set<Logged> logged = ConcurrentHashMap.newKeySet();

    private final List<Observer> observers = new CopyOnWriteArrayList<>();

    /** Creates an empty collection. */
    public RuntimeFaults() {}

    /** What failed. */
    public enum Kind {

        /** A {@code RetryListener}, or a listener of application events. */
        LISTENER,

        /** A gate: {@code onlyIf}, {@code unless} or {@code retryIf}. */
        GATE,

        /** A {@code RetryDecider}. */
        DECIDER,

        /** A backoff strategy. */
        BACKOFF,

        /** A {@code RetryHint}, an {@code ErrorCodeResolver} or a {@code RetryAfterResolver}. */
        RESOLVER,

        /** What carries the caller's context to later attempts. */
        CONTEXT,

        /** What waits for, times, runs or cancels attempts. */
        WAIT,

        /** A meter registry. */
        METER,

        /** A {@code RetryTagsContributor}. */
        TAGS,

        /** An observation registry or one of its handlers. */
        OBSERVATION,

        /** Settings that come while the application runs, and are not taken over. */
        CONFIGURATION,

        /** The store of calls. */
        STORE,

        /** A concurrent transaction: the store repeats a write. */
        CONFLICT,

        /** An appender, or whatever else takes part in logging. */
        LOG,

        /** The store of dead letters, or the encoding of arguments: a call could not be kept. */
        DEAD_LETTER;

        /**
         * The kind as a tag.
         *
         * @return such as {@code listener}
         */
        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Takes the faults of an engine. */
    @Override
    public void onFault(Source source, String name, String sentence, Throwable cause) {
        report(Kind.valueOf(source.name()), name, sentence, cause);
    }

    /**
     * Counts a fault, and logs it if it is the first like it.
     *
     * @param kind what failed
     * @param name the name of what was retried
     * @param sentence what failed and what that means for the call, such as {@code "the listener … failed; the call goes
     *     on"}
     * @param cause what was thrown
     */
    public void report(Kind kind, String name, String sentence, Throwable cause) {
        try {
            count(new Counted(kind, name)).increment();
            if (logged.size() < MAX_LOGGED && logged.add(new Logged(kind, name, sentence, cause.getClass()))) {
                String prefix = name.equals(ANY) ? "" : name + ": ";
                StarterLog.warn(prefix + sentence + " (logged once)", cause);
            }
        } catch (Throwable ex) {
            return; // an observer failed, or there is no memory: the fault is lost, the call is not
        }
    }

    /**
     * Counts a fault of something that an operator has done, and logs it every time.
     *
     * @param kind what failed
     * @param sentence what failed and what that means
     * @param cause what was thrown
     */
    public void reportToOperator(Kind kind, String sentence, Throwable cause) {
        try {
            count(new Counted(kind, ANY)).increment();
            StarterLog.warn(sentence, cause);
        } catch (Throwable ex) {
            return; // as above
        }
    }

    /**
     * How often something failed.
     *
     * @param kind what
     * @param name the name of what was retried
     * @return zero or more
     */
    public long count(Kind kind, String name) {
        LongAdder known = counts.get(new Counted(kind, name));
        return known == null ? 0 : known.sum();
    }

    /**
     * Hands over the count of every kind and name, those that exist already and those to come.
     *
     * @param observer takes each count, perhaps more than once
     */
    public void observe(Observer observer) {
        observers.add(observer);
        counts.forEach((source, count) -> observer.counted(source.kind(), source.name(), count));
    }

    private LongAdder count(Counted source) {
        LongAdder known = counts.get(source);
        if (known != null) {
            return known;
        }
        LongAdder made = counts.computeIfAbsent(source, missing -> new LongAdder());
        for (Observer observer : observers) {
            try {
                observer.counted(source.kind(), source.name(), made);
            } catch (Throwable ex) {
                StarterLog.warn("the meter of faults could not be registered", ex);
            }
        }
        return made;
    }

    /** Takes the counts of faults. */
    @FunctionalInterface
    public interface Observer {

        /**
         * Takes one count.
         *
         * @param kind what failed
         * @param name the name of what was retried
         * @param count goes on counting
         */
        void counted(Kind kind, String name, LongAdder count);
    }

    private record Counted(Kind kind, String name) {}

    private record Logged(Kind kind, String name, String sentence, Class<?> cause) {}
}

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.ExtensionErrorListener.Kind;
import dev.retryon.spring.internal.report.TagValues;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts and logs errors that occur outside the calls themselves, for example if a listener, a gate or a meter
 * registry throws an exception. Every error is counted, but only the first error of each kind, name and class is
 * logged, at WARN. Reporting an error never throws an exception. Thread-safe.
 */
public final class ExtensionErrors {

    /** The name to use for an error that does not belong to one retry. */
    public static final String ANY = ExtensionErrorListener.ANY;

    /** The maximum number of different errors to log. All errors are counted. */
    private static final int MAX_LOGGED = 1000;

    private final TagValues names;

    private final Map<Counted, LongAdder> counts = new ConcurrentHashMap<>();

    private final Set<Logged> logged = ConcurrentHashMap.newKeySet();

    private final List<Observer> observers = new CopyOnWriteArrayList<>();

    public ExtensionErrors() {
        this(new TagValues("name", TagValues.DEFAULT_LIMIT));
    }

    /** @param names the names under which errors are counted */
    public ExtensionErrors(TagValues names) {
        this.names = names;
        names.declare(ANY);
    }

    /**
     * Counts an error, and logs it if no similar error was logged before. The sentence describes the failure and its
     * effect on the call.
     */
    public void report(Kind kind, String name, String sentence, Throwable cause) {
        try {
            counter(kind, names.of(name)).increment();
            if (logged.size() < MAX_LOGGED && logged.add(new Logged(kind, name, sentence, cause.getClass()))) {
                String prefix = name.equals(ANY) ? "" : name + ": ";
                StarterLog.warn(prefix + sentence + " (logged once)", cause);
            }
        } catch (Throwable ex) {
            return; // an observer failed, or there is no memory: the error is lost, the call is not
        }
    }

    /** Counts an error in an operator's action, and logs it every time. */
    public void reportToOperator(Kind kind, String sentence, Throwable cause) {
        try {
            counter(kind, ANY).increment();
            StarterLog.warn(sentence, cause);
        } catch (Throwable ex) {
            return; // as above
        }
    }

    public long count(Kind kind, String name) {
        LongAdder known = counts.get(new Counted(kind, name));
        return known == null ? 0 : known.sum();
    }

    /**
     * Passes the live count of every kind and name to an observer, including counts that are added later. The observer
     * can receive a count more than once.
     */
    public void observe(Observer observer) {
        observers.add(observer);
        for (Map.Entry<Counted, LongAdder> counted : counts.entrySet()) {
            observer.counted(counted.getKey().kind(), counted.getKey().name(), counted.getValue());
        }
    }

    private LongAdder counter(Kind kind, String name) {
        Counted source = new Counted(kind, name);
        LongAdder known = counts.get(source);
        if (known != null) {
            return known;
        }
        LongAdder made = new LongAdder();
        LongAdder other = counts.putIfAbsent(source, made);
        if (other != null) {
            return other;
        }
        for (Observer observer : observers) {
            try {
                observer.counted(kind, name, made);
            } catch (Throwable ex) {
                StarterLog.warn("the meter retryon.extension.errors could not be registered", ex);
            }
        }
        return made;
    }

    @FunctionalInterface
    public interface Observer {

        void counted(Kind kind, String name, LongAdder count);
    }

    private record Counted(Kind kind, String name) {}

    private record Logged(Kind kind, String name, String sentence, Class<?> cause) {}
}

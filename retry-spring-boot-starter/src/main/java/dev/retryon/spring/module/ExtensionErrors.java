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
 * Errors that occur while the application runs, outside the calls themselves: a listener, a gate or a meter registry
 * throws an exception. Each error is counted; the first of a kind, name and error class is logged at WARN. Reporting
 * never throws. Thread-safe.
 */
public final class ExtensionErrors {

    /** The name that is used if an error does not belong to one retry. */
    public static final String ANY = ExtensionErrorListener.ANY;

    /** The number of different errors that are logged at most; all are counted. */
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
     * Counts an error, and logs it if it is the first like it. The sentence is about the failure and its effect on the
     * call.
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

    /** Counts an error of an action of an operator, and logs it every time. */
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
     * Passes the live count of every kind and name to an observer, including future ones, and perhaps more than once.
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

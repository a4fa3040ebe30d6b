// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/** The counters of all retries. Thread-safe. */
public final class CountersByName {

    private final Map<String, CallCounters> counters = new ConcurrentHashMap<>();

    private final List<BiConsumer<String, CallCounters>> observers = new CopyOnWriteArrayList<>();

    private final boolean countingSuccesses;

    CountersByName(boolean countingSuccesses) {
        this.countingSuccesses = countingSuccesses;
    }

    private CallCounters counters(String name) {
        CallCounters known = counters.get(name);
        if (known != null) {
            return known;
        }
        CallCounters made = counters.computeIfAbsent(name, missing -> new CallCounters());
        observers.forEach(observer -> observer.accept(name, made));
        return made;
    }

    /** Adds counters under a name to a retry; returns the same builder. */
    RetryBuilder count(String name, RetryBuilder retry) {
        CallCounters counted = counters(name);
        retry.countWaiting(counted.waiting());
        if (countingSuccesses) {
            retry.countSuccesses(counted.successes());
        }
        return retry;
    }

    /** The counters of a name; empty if no retry has it. */
    public Optional<CallCounters> find(String name) {
        return Optional.ofNullable(counters.get(name));
    }

    /** Passes the counters of every name to an observer, perhaps more than once, and later those of future names. */
    public void observe(BiConsumer<String, CallCounters> observer) {
        observers.add(observer);
        counters.forEach(observer);
    }
}

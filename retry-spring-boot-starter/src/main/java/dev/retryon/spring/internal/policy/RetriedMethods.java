// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.report.TagValues;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The retried methods of the application that are known by now, and with them its other retries and the counters of
 * all. Thread-safe.
 */
public final class RetriedMethods {

    private final Map<String, Set<RetriedMethod>> byName = new ConcurrentHashMap<>();

    private final List<Consumer<RetriedMethod>> observers = new CopyOnWriteArrayList<>();

    private final TagValues names;

    private final CountersByName counters;

    private final StandaloneRetries standalone;

    /** @param names the names that meters and endpoints show */
    public RetriedMethods(boolean countingSuccesses, TagValues names) {
        this.names = names;
        this.counters = new CountersByName(countingSuccesses);
        this.standalone = new StandaloneRetries(counters, names);
    }

    /** The names that meters and endpoints show. Calls of a retry with any other name are counted under a shared one. */
    public TagValues names() {
        return names;
    }

    public CountersByName counters() {
        return counters;
    }

    /** The retries that belong to no method: HTTP clients, and retries of the registry. */
    public StandaloneRetries standalone() {
        return standalone;
    }

    /**
     * The methods known by now. After start-up these are the methods of all beans, except of beans that are known only by an
     * interface and not made yet. Returns a copy, sorted by name and signature.
     */
    public List<RetriedMethod> all() {
        return sorted(byName.values().stream().flatMap(Set::stream));
    }

    private static List<RetriedMethod> sorted(Stream<RetriedMethod> methods) {
        return methods.sorted(Comparator.comparing(RetriedMethod::name)
                        .thenComparing(method -> method.key().toString()))
                .toList();
    }

    /** The methods that share a name, such as overloads; possibly none. */
    public List<RetriedMethod> named(String name) {
        return sorted(byName.getOrDefault(name, Set.of()).stream());
    }

    /** Passes every method to an observer, including methods that are found later; perhaps more than once. */
    public void observe(Consumer<RetriedMethod> observer) {
        observers.add(observer);
        all().forEach(observer);
    }

    void add(RetriedMethod method) {
        names.declare(method.name());
        byName.computeIfAbsent(method.name(), missing -> ConcurrentHashMap.newKeySet())
                .add(method);
        observers.forEach(observer -> observer.accept(method));
    }
}

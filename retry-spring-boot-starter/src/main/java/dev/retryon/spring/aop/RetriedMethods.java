package dev.retryon.spring.aop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** All methods of the application that are retried, as far as they are known. Thread-safe. */
public final class RetriedMethods {

    /** By name, and those of one name by signature. */
    private final Map<String, Map<String, RetriedMethod>> byName = new ConcurrentHashMap<>();

    private final Map<String, LongAdder> successes = new ConcurrentHashMap<>();

    private final List<Consumer<RetriedMethod>> observers = new CopyOnWriteArrayList<>();

    private final List<BiConsumer<String, LongAdder>> counterObservers = new CopyOnWriteArrayList<>();

    /** Creates an empty collection. */
    public RetriedMethods() {}

    /**
     * The methods known by now: after start-up those of all beans, but of beans known only by an interface.
     *
     * @return a copy, sorted by name and signature
     */
    public List<RetriedMethod> all() {
        return sorted(byName.values().stream()
                .flatMap(ofName -> ofName.values().stream())
                .toList());
    }

    private static List<RetriedMethod> sorted(Collection<RetriedMethod> methods) {
        List<RetriedMethod> sorted = new ArrayList<>(methods);
        sorted.sort(Comparator.comparing(RetriedMethod::name).thenComparing(RetriedMethod::signature));
        return sorted;
    }

    /**
     * The methods of one name.
     *
     * @param name the name
     * @return overloads and methods that share the name; empty if there are none
     */
    public List<RetriedMethod> named(String name) {
        return sorted(byName.getOrDefault(name, Map.of()).values());
    }

    /**
     * How many calls of a name, of a method or not, succeeded at once.
     *
     * @param name the name
     * @return a counter that goes on counting
     */
    public LongAdder successes(String name) {
        LongAdder known = successes.get(name);
        if (known != null) {
            return known;
        }
        LongAdder counter = successes.computeIfAbsent(name, key -> new LongAdder());
        counterObservers.forEach(observer -> observer.accept(name, counter));
        return counter;
    }

    /**
     * Whether calls of a name that succeed at once are counted.
     *
     * @param name the name
     * @return {@code true} once somebody has asked for {@link #successes}
     */
    public boolean isCounted(String name) {
        return successes.containsKey(name);
    }

    /**
     * Tells of every counter of {@link #successes}, those known already and those to come.
     *
     * @param observer takes each name and its counter, perhaps more than once
     */
    public void observeSuccesses(BiConsumer<String, LongAdder> observer) {
        counterObservers.add(observer);
        successes.forEach(observer);
    }

    /**
     * Tells of every method, those known already and those to come.
     *
     * @param observer takes each method, perhaps more than once
     */
    public void observe(Consumer<RetriedMethod> observer) {
        observers.add(observer);
        all().forEach(observer);
    }

    void add(RetriedMethod method) {
        byName.computeIfAbsent(method.name(), missing -> new ConcurrentHashMap<>())
                .put(method.signature(), method);
        observers.forEach(observer -> observer.accept(method));
    }
}

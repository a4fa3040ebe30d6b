// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryBuilder;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetriedMethods;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The application's retries that are known so far, and the counters of their calls. Thread-safe. */
public final class NamedRetries implements RetriedMethods {

    private final Map<String, Set<MethodRetry>> methods = new ConcurrentHashMap<>();

    private final Map<String, StandaloneRetry> clients = new ConcurrentHashMap<>();

    private final Map<String, StandaloneRetry> registered = new ConcurrentHashMap<>();

    /** Includes retries that others with the same name replaced, because the code that got them can still use or drop them. */
    private final Set<StandaloneRetry> standalone =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final Map<String, CallCounters> counters = new ConcurrentHashMap<>();

    private final List<Consumer<NamedRetry>> observers = new CopyOnWriteArrayList<>();

    private final List<BiConsumer<String, CallCounters>> countersObservers = new CopyOnWriteArrayList<>();

    private final boolean countingSuccesses;

    private final TagValues names;

    public NamedRetries(boolean countingSuccesses, TagValues names) {
        this.countingSuccesses = countingSuccesses;
        this.names = names;
    }

    /** Returns the names that meters and endpoints show. Calls of a retry with any other name are counted under a shared name. */
    public TagValues names() {
        return names;
    }

    @Override
    public List<MethodRetry> methods() {
        return sorted(methods.values().stream().flatMap(Set::stream));
    }

    public List<MethodRetry> methods(String name) {
        return sorted(methods.getOrDefault(name, Set.of()).stream());
    }

    private static List<MethodRetry> sorted(Stream<MethodRetry> methods) {
        return methods.sorted(Comparator.comparing(MethodRetry::name).thenComparing(MethodRetry::key))
                .toList();
    }

    /** Returns the latest HTTP client with the given name. */
    public @Nullable StandaloneRetry client(String name) {
        return clients.get(name);
    }

    /** Returns the latest retry with the given name that code got from the registry. */
    public @Nullable StandaloneRetry registered(String name) {
        return registered.get(name);
    }

    public List<NamedRetry> all() {
        List<NamedRetry> all = new ArrayList<>(methods());
        synchronized (standalone) {
            all.addAll(standalone);
        }
        return all;
    }

    /** Passes every retry, also those that are found or created later, to an observer, perhaps more than once. */
    public void observe(Consumer<NamedRetry> observer) {
        observers.add(observer);
        all().forEach(observer);
    }

    @Override
    public void observeMethods(Consumer<RetriedMethod> observer) {
        observe(retry -> {
            if (retry instanceof MethodRetry method) {
                observer.accept(method);
            }
        });
    }

    @Override
    public void observePolicies(BiConsumer<String, RetryPolicy> observer) {
        observe(retry -> observer.accept(retry.name(), retry.policy()));
    }

    @Override
    public List<RetryPolicy> policies() {
        return all().stream().map(NamedRetry::policy).toList();
    }

    void add(NamedRetry retry) {
        if (retry instanceof MethodRetry method) {
            names.declare(method.name());
            methods.computeIfAbsent(method.name(), missing -> ConcurrentHashMap.newKeySet())
                    .add(method);
        } else if (retry instanceof StandaloneRetry other) {
            standalone.add(other);
            (other.isClient() ? clients : registered).put(other.name(), other);
        }
        observers.forEach(observer -> observer.accept(retry));
    }

    void count(String name, RetryBuilder retry) {
        CallCounters counted = counters.get(name);
        if (counted == null) {
            CallCounters made = counters.computeIfAbsent(name, missing -> new CallCounters());
            countersObservers.forEach(observer -> observer.accept(name, made));
            counted = made;
        }
        retry.countWaiting(counted.waiting());
        if (countingSuccesses) {
            retry.countSuccesses(counted.successes());
        }
    }

    public Optional<CallCounters> counters(String name) {
        return Optional.ofNullable(counters.get(name));
    }

    /** Passes the counters of every current and future name to an observer, perhaps more than once. */
    public void observeCounters(BiConsumer<String, CallCounters> observer) {
        countersObservers.add(observer);
        counters.forEach(observer);
    }
}

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

/** The retries of the application that are known by now, and the counters of their calls. Thread-safe. */
public final class NamedRetries implements RetriedMethods {

    private final Map<String, Set<MethodRetry>> methods = new ConcurrentHashMap<>();

    private final Map<String, StandaloneRetry> clients = new ConcurrentHashMap<>();

    private final Map<String, StandaloneRetry> registered = new ConcurrentHashMap<>();

    /** With those that others of their name have replaced: the code that got them may still use them, or drop them. */
    private final Set<StandaloneRetry> standalone =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final Map<String, CallCounters> counters = new ConcurrentHashMap<>();

    private final List<Consumer<NamedRetry>> observers = new CopyOnWriteArrayList<>();

    private final List<BiConsumer<String, CallCounters>> countersObservers = new CopyOnWriteArrayList<>();

    private final boolean countingSuccesses;

    private final TagValues names;

    /** @param names the names that meters and endpoints show */
    public NamedRetries(boolean countingSuccesses, TagValues names) {
        this.countingSuccesses = countingSuccesses;
        this.names = names;
    }

    /** The names that meters and endpoints show. Calls of a retry with any other name are counted under a shared one. */
    public TagValues names() {
        return names;
    }

    @Override
    public List<MethodRetry> methods() {
        return sorted(methods.values().stream().flatMap(Set::stream));
    }

    /** The methods that share a name, such as overloads; possibly none. */
    public List<MethodRetry> methods(String name) {
        return sorted(methods.getOrDefault(name, Set.of()).stream());
    }

    private static List<MethodRetry> sorted(Stream<MethodRetry> methods) {
        return methods.sorted(Comparator.comparing(MethodRetry::name).thenComparing(MethodRetry::key))
                .toList();
    }

    /** The latest HTTP client of a name; {@code null} if there is none. */
    public @Nullable StandaloneRetry client(String name) {
        return clients.get(name);
    }

    /** The latest retry of a name that code got from the registry; {@code null} if there is none. */
    public @Nullable StandaloneRetry registered(String name) {
        return registered.get(name);
    }

    /** All retries: a copy, the methods first. */
    public List<NamedRetry> all() {
        List<NamedRetry> all = new ArrayList<>(methods());
        synchronized (standalone) {
            all.addAll(standalone);
        }
        return all;
    }

    /** Passes every retry to an observer, including retries that are found or created later; perhaps more than once. */
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
            (other.use() == StandaloneRetry.Use.HTTP_CLIENT ? clients : registered).put(other.name(), other);
        }
        observers.forEach(observer -> observer.accept(retry));
    }

    /** Adds the counters of a name to a retry. */
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

    /** The counters of a name; empty if no retry has it. */
    public Optional<CallCounters> counters(String name) {
        return Optional.ofNullable(counters.get(name));
    }

    /** Passes the counters of every name to an observer, perhaps more than once, and later those of future names. */
    public void observeCounters(BiConsumer<String, CallCounters> observer) {
        countersObservers.add(observer);
        counters.forEach(observer);
    }
}

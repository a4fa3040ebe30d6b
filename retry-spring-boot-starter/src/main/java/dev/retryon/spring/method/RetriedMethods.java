/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.InterceptedCalls;
import dev.retryon.RetryBuilder;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.settings.SettingSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;

/**
 * All methods of the application that are retried, as far as they are known. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RetriedMethods {

    /** By name, and those of one name by class and method. */
    private final Map<String, Map<MethodClassKey, RetriedMethod>> byName = new ConcurrentHashMap<>();

    private final Map<String, CallCounters> counters = new ConcurrentHashMap<>();

    private final Map<String, OtherRetry> clients = new ConcurrentSkipListMap<>();

    private final Map<String, OtherRetry> registered = new ConcurrentSkipListMap<>();

    /** Of the retries that are no method's, by name. */
    private final Map<String, OtherSwitch> switches = new ConcurrentHashMap<>();

    private final List<Consumer<OtherRetry>> otherObservers = new CopyOnWriteArrayList<>();

    private final List<Consumer<RetriedMethod>> observers = new CopyOnWriteArrayList<>();

    private final List<BiConsumer<String, CallCounters>> counterObservers = new CopyOnWriteArrayList<>();

    private final boolean countingSuccesses;

    /**
     * Creates an empty collection.
     *
     * @param countingSuccesses whether calls that succeed at once are counted, for which there is no event
     */
    public RetriedMethods(boolean countingSuccesses) {
        this.countingSuccesses = countingSuccesses;
    }

    /**
     * The methods known by now. After start-up these are the methods of all beans, except of beans that are known only by an
     * interface and not made yet.
     *
     * @return a copy, sorted by name and signature
     */
    public List<RetriedMethod> all() {
        return sorted(byName.values().stream()
                .flatMap(namesakes -> namesakes.values().stream())
                .toList());
    }

    private static List<RetriedMethod> sorted(Collection<RetriedMethod> methods) {
        List<RetriedMethod> sorted = new ArrayList<>(methods);
        sorted.sort(Comparator.comparing(RetriedMethod::name)
                .thenComparing(method -> method.key().toString()));
        return sorted;
    }

    /**
     * The methods of one name.
     *
     * @param name the name
     * @return overloads and methods that share the name; empty if there are none
     */
    public List<RetriedMethod> named(String name) {
        Map<MethodClassKey, RetriedMethod> namesakes = byName.get(name);
        return namesakes == null ? List.of() : sorted(namesakes.values());
    }

    /**
     * The counters of a name, of a method or not; they are made when first asked for.
     *
     * @param name the name
     * @return counters that go on counting
     */
    public CallCounters counters(String name) {
        CallCounters known = counters.get(name);
        if (known != null) {
            return known;
        }
        CallCounters made = counters.computeIfAbsent(name, missing -> new CallCounters());
        for (BiConsumer<String, CallCounters> observer : counterObservers) {
            observer.accept(name, made);
        }
        return made;
    }

    /**
     * Has the calls of a retry counted.
     *
     * @param name the name of the retry
     * @param retry the retry
     * @return the same builder
     */
    public RetryBuilder counted(String name, RetryBuilder retry) {
        CallCounters counted = counters(name);
        InterceptedCalls.countWaiting(retry, counted.waiting());
        if (countingSuccesses) {
            InterceptedCalls.countSuccesses(retry, counted.successes());
        }
        return retry;
    }

    /**
     * Has the calls of a retry that is no method's counted, and lets operators switch it off.
     *
     * @param name the name of the retry
     * @param retry the retry
     * @return the same builder
     */
    public RetryBuilder switchable(String name, RetryBuilder retry) {
        OtherSwitch known = switches.computeIfAbsent(name, missing -> new OtherSwitch());
        return counted(name, retry).retrySwitch(known.retrySwitch);
    }

    /**
     * Who has switched off a retry that is no method's.
     *
     * @param name the name of the retry
     * @return the operator; {@code null} nearly always
     */
    public @Nullable SettingSource switchedOffBy(String name) {
        OtherSwitch known = switches.get(name);
        return known == null ? null : known.offBy;
    }

    /** Switches off a retry that is not a method's, or on again if no change keeps it off. */
    void turn(String name, @Nullable SettingSource offBy) {
        OtherSwitch known = switches.get(name);
        if (known != null) {
            known.offBy = offBy;
            if (offBy == null) {
                known.retrySwitch.turnOn();
            } else {
                known.retrySwitch.turnOff();
            }
        }
    }

    /**
     * Gives an observer every retry that is no method's, those that are known and those that will be added.
     *
     * @param observer takes each retry, perhaps more than once
     */
    public void observeOthers(Consumer<OtherRetry> observer) {
        otherObservers.add(observer);
        clients.values().forEach(observer);
        registered.values().forEach(observer);
    }

    private static final class OtherSwitch {

        private final RetrySwitch retrySwitch = new RetrySwitch();

        private volatile @Nullable SettingSource offBy;
    }

    /**
     * The counters of a name if there are any.
     *
     * @param name the name
     * @return empty unless its {@link #counters} were asked for
     */
    public Optional<CallCounters> knownCounters(String name) {
        return Optional.ofNullable(counters.get(name));
    }

    /**
     * Gives an observer the {@link #counters} of every name, those that exist and those that will be made.
     *
     * @param observer takes each name and its counters, perhaps more than once
     */
    public void observeCounters(BiConsumer<String, CallCounters> observer) {
        counterObservers.add(observer);
        counters.forEach(observer);
    }

    /**
     * Gives an observer every method, those that are known and those that will be found.
     *
     * @param observer takes each method, perhaps more than once
     */
    public void observe(Consumer<RetriedMethod> observer) {
        observers.add(observer);
        all().forEach(observer);
    }

    /**
     * Adds a client that retries its requests.
     *
     * @param client the client; takes the place of another one of its name
     */
    public void addClient(OtherRetry client) {
        clients.put(client.name(), client);
        otherObservers.forEach(observer -> observer.accept(client));
    }

    /**
     * The clients that were made by now.
     *
     * @return a copy, sorted by name
     */
    public List<OtherRetry> clients() {
        return List.copyOf(clients.values());
    }

    /**
     * The retries that code got from the registry by now.
     *
     * @return an unmodifiable view, by name; the latest of each name
     */
    public Map<String, OtherRetry> registered() {
        return Collections.unmodifiableMap(registered);
    }

    /** Adds a retry that code got from the registry; takes the place of another one of its name. */
    void addRegistered(OtherRetry retry) {
        registered.put(retry.name(), retry);
        otherObservers.forEach(observer -> observer.accept(retry));
    }

    void add(RetriedMethod method) {
        byName.computeIfAbsent(method.name(), missing -> new ConcurrentHashMap<>())
                .put(new MethodClassKey(method.method(), method.beanClass()), method);
        for (Consumer<RetriedMethod> observer : observers) {
            observer.accept(method);
        }
    }
}

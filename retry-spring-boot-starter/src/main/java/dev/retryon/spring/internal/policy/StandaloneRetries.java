/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryBuilder;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.internal.settings.SettingSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All retries that belong to no method, and their switches. Thread-safe. */
public final class StandaloneRetries {

    private final CountersByName counters;

    private final Map<String, StandaloneRetry> clients = new ConcurrentSkipListMap<>();

    private final Map<String, StandaloneRetry> registered = new ConcurrentSkipListMap<>();

    private final Map<String, Switch> switches = new ConcurrentHashMap<>();

    private final List<Consumer<StandaloneRetry>> observers = new CopyOnWriteArrayList<>();

    StandaloneRetries(CountersByName counters) {
        this.counters = counters;
    }

    /**
     * Adds counters to a retry, and a switch for operators.
     *
     * @param name the name of the retry
     * @param retry the retry
     * @return the same builder
     */
    public RetryBuilder switchable(String name, RetryBuilder retry) {
        Switch known = switches.computeIfAbsent(name, missing -> new Switch());
        return counters.count(name, retry).retrySwitch(known.retrySwitch);
    }

    /**
     * Returns the operator who has switched off a retry.
     *
     * @param name the name of the retry
     * @return the operator; {@code null} nearly always
     */
    public @Nullable SettingSource switchedOffBy(String name) {
        Switch known = switches.get(name);
        return known == null ? null : known.offBy;
    }

    /**
     * Switches a retry off or on.
     *
     * @param name the name of the retry
     * @param offBy the operator who keeps it off; {@code null} to switch it on
     */
    public void turn(String name, @Nullable SettingSource offBy) {
        Switch known = switches.get(name);
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
     * Passes every retry to an observer, including future ones.
     *
     * @param observer takes each retry, perhaps more than once
     */
    public void observe(Consumer<StandaloneRetry> observer) {
        observers.add(observer);
        clients.values().forEach(observer);
        registered.values().forEach(observer);
    }

    /**
     * Adds a client that retries its requests.
     *
     * @param client the client; replaces another one of its name
     */
    public void addClient(StandaloneRetry client) {
        add(clients, client);
    }

    /** Adds a retry that code got from the registry; replaces another one of its name. */
    void addRegistered(StandaloneRetry retry) {
        add(registered, retry);
    }

    private void add(Map<String, StandaloneRetry> all, StandaloneRetry retry) {
        all.put(retry.name(), retry);
        observers.forEach(observer -> observer.accept(retry));
    }

    /** The clients that exist by now, sorted by name; a copy. */
    public List<StandaloneRetry> clients() {
        return List.copyOf(clients.values());
    }

    /** The retries that code got from the registry by now: an unmodifiable view, by name; the latest of each name. */
    public Map<String, StandaloneRetry> registered() {
        return Collections.unmodifiableMap(registered);
    }

    private static final class Switch {

        private final RetrySwitch retrySwitch = new RetrySwitch();

        private volatile @Nullable SettingSource offBy;
    }
}

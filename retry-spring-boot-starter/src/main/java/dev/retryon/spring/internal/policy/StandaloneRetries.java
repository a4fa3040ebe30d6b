// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryBuilder;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.internal.report.TagValues;
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

    private final TagValues names;

    private final Map<String, StandaloneRetry> clients = new ConcurrentSkipListMap<>();

    private final Map<String, StandaloneRetry> registered = new ConcurrentSkipListMap<>();

    private final Map<String, RetrySwitch> switches = new ConcurrentHashMap<>();

    /** The operators who have switched retries off. */
    private final Map<String, SettingSource> offBy = new ConcurrentHashMap<>();

    private final List<Consumer<StandaloneRetry>> observers = new CopyOnWriteArrayList<>();

    StandaloneRetries(CountersByName counters, TagValues names) {
        this.counters = counters;
        this.names = names;
    }

    /** Declares the name of a configured policy, which is always shown. */
    void declare(String policy) {
        names.declare(policy);
    }

    /**
     * Adds counters to a retry, and a switch for operators; returns the same builder. Retries whose name is not shown
     * share both.
     */
    public RetryBuilder switchable(String name, RetryBuilder retry) {
        String shown = names.of(name);
        return counters.count(shown, retry).retrySwitch(switches.computeIfAbsent(shown, missing -> new RetrySwitch()));
    }

    /** The operator who has switched off the retry of a name; {@code null} nearly always. */
    public @Nullable SettingSource switchedOffBy(String name) {
        return offBy.get(name);
    }

    /** Switches a retry off for an operator, or on if that is {@code null}. */
    public void turn(String name, @Nullable SettingSource operator) {
        RetrySwitch known = switches.get(name);
        if (known == null) {
            return;
        }
        if (operator == null) {
            offBy.remove(name);
            known.turnOn();
        } else {
            offBy.put(name, operator);
            known.turnOff();
        }
    }

    /** Passes every retry to an observer, including retries that are created later; perhaps more than once. */
    public void observe(Consumer<StandaloneRetry> observer) {
        observers.add(observer);
        clients.values().forEach(observer);
        registered.values().forEach(observer);
    }

    /** Adds an HTTP client; replaces another one of its name. */
    public void addClient(StandaloneRetry client) {
        add(clients, client);
    }

    /** Adds a retry that code got from the registry; replaces another one of its name. */
    void addRegistered(StandaloneRetry retry) {
        add(registered, retry);
    }

    private void add(Map<String, StandaloneRetry> all, StandaloneRetry retry) {
        StandaloneRetry shown = new StandaloneRetry(names.of(retry.name()), retry.policy(), retry.settings());
        all.put(shown.name(), shown);
        observers.forEach(observer -> observer.accept(shown));
    }

    /** The clients that exist by now, sorted by name; a copy. */
    public List<StandaloneRetry> clients() {
        return List.copyOf(clients.values());
    }

    /** The retries that code got from the registry by now: an unmodifiable view, by name; the latest of each name. */
    public Map<String, StandaloneRetry> registered() {
        return Collections.unmodifiableMap(registered);
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.backoff;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The names under which configuration finds backoff strategies: the seven built-in ones, and those that an application
 * registers. Thread-safe.
 *
 * @since 0.1.0
 */
public final class BackoffRegistry {

    private static final Set<String> BUILT_IN =
            Set.of("none", "fixed", "linear", "exponential", "polynomial", "fibonacci", "decorrelated");

    private final Map<String, BackoffStrategy> registered = new ConcurrentHashMap<>();

    /** Creates a registry that knows the built-in strategies. */
    public BackoffRegistry() {}

    /**
     * Registers a strategy, replacing one of the same name that was registered before.
     *
     * @param name the name, not blank and not that of a built-in strategy
     * @param strategy the strategy
     * @return this registry
     * @throws IllegalArgumentException if the name is blank or belongs to a built-in strategy
     */
    public BackoffRegistry register(String name, BackoffStrategy strategy) {
        Objects.requireNonNull(strategy, "strategy");
        if (name.isBlank()) {
            throw new IllegalArgumentException("a backoff strategy needs a name that is not blank");
        }
        if (BUILT_IN.contains(name)) {
            throw new IllegalArgumentException("backoff '" + name + "' is built in and can't be replaced");
        }
        registered.put(name, strategy);
        return this;
    }

    /**
     * Finds a strategy by name.
     *
     * @param name the name
     * @param multiplier the multiplier for the built-in strategies that use one; at least 1.0
     * @return the strategy, or {@code null} if the name is unknown
     * @throws IllegalArgumentException if a built-in strategy that uses the multiplier finds it below 1 or not finite
     */
    public @Nullable BackoffStrategy find(String name, double multiplier) {
        return switch (name) {
            case "none" -> Backoff.none();
            case "fixed" -> Backoff.fixed();
            case "linear" -> Backoff.linear();
            case "exponential" -> Backoff.exponential(multiplier);
            case "polynomial" -> Backoff.polynomial(multiplier);
            case "fibonacci" -> Backoff.fibonacci();
            case "decorrelated" -> Backoff.decorrelated();
            default -> registered.get(name);
        };
    }

    /**
     * All names that {@link #find} knows, sorted.
     *
     * @return a copy
     */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(BUILT_IN);
        names.addAll(registered.keySet());
        return names;
    }
}

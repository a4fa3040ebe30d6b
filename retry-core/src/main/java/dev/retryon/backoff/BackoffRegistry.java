// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Backoff strategies by name: the seven built-in ones, and those that an application registers. Thread-safe.
 *
 * @since 0.1.0
 */
public final class BackoffRegistry {

    private static final Set<String> BUILT_IN =
            Set.of("none", "fixed", "linear", "exponential", "polynomial", "fibonacci", "decorrelated");

    private final Map<String, BackoffStrategy> registered = new ConcurrentHashMap<>();

    /** Creates a registry with the built-in strategies. */
    public BackoffRegistry() {}

    /**
     * Registers a strategy. It replaces a strategy that was registered with the same name.
     *
     * @param name the name, not blank and not that of a built-in strategy
     * @param strategy the strategy
     * @return this registry
     * @throws IllegalArgumentException if the name is blank or belongs to a built-in strategy
     */
    public BackoffRegistry register(String name, BackoffStrategy strategy) {
        Objects.requireNonNull(strategy, "strategy");
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                    "The name of a backoff strategy must not be blank; use a name such as \"daily\"");
        }
        if (BUILT_IN.contains(name)) {
            throw new IllegalArgumentException("backoff '" + name
                    + "' is a built-in strategy and can't be replaced; register yours with another name");
        }
        registered.put(name, strategy);
        return this;
    }

    /**
     * Finds a strategy by name.
     *
     * @param name the name
     * @param multiplier the multiplier of built-in strategies that have one; at least 1.0
     * @return the strategy, or {@code null} if the name is unknown
     * @throws IllegalArgumentException if a built-in strategy uses the multiplier, and it is below 1 or not finite
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

    /** {@return a sorted copy of all names that {@link #find} accepts} */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(BUILT_IN);
        names.addAll(registered.keySet());
        return names;
    }
}

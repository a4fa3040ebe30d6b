// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A fault in an annotation or property.
 *
 * @param place the location of the fault
 * @param problem a sentence that quotes the value and states the allowed values
 * @param methods the methods that a wrong property affects, as keys of {@code retryon.methods}; empty if it affects
 *     every method, or if the location names the method
 * @param related the locations of other values that the problem names; fixing one of them also resolves the fault
 * @since 0.1.0
 */
public record RetryFault(Place place, String problem, List<String> methods, List<Place> related) {

    /** The maximum number of methods to name. */
    private static final int NAMED = 3;

    /**
     * Creates a fault.
     *
     * @param place the location of the fault
     * @param problem a sentence that quotes the value and states the allowed values
     * @param methods the affected methods
     * @param related the locations of other values that the problem names
     */
    public RetryFault {
        methods = List.copyOf(methods);
        related = List.copyOf(related);
    }

    /**
     * Creates a fault that applies to every method.
     *
     * @param place the location of the fault
     * @param problem a sentence that quotes the value and states the allowed values
     */
    public RetryFault(Place place, String problem) {
        this(place, problem, List.of());
    }

    /**
     * Creates a fault that applies to some methods.
     *
     * @param place the location of the fault
     * @param problem a sentence that quotes the value and states the allowed values
     * @param methods the affected methods
     */
    public RetryFault(Place place, String problem, List<String> methods) {
        this(place, problem, methods, List.of());
    }

    /** Merges equal faults that affect several methods. The order does not change. */
    static List<RetryFault> joined(Collection<RetryFault> faults) {
        Map<RetryFault, Set<String>> methods = new LinkedHashMap<>();
        for (RetryFault fault : faults) {
            methods.computeIfAbsent(fault.of(Set.of()), first -> new TreeSet<>())
                    .addAll(fault.methods());
        }
        List<RetryFault> joined = new ArrayList<>();
        methods.forEach((fault, all) -> joined.add(fault.of(all)));
        return joined;
    }

    private RetryFault of(Set<String> others) {
        return new RetryFault(place, problem, List.copyOf(others), related);
    }

    /**
     * Returns the location as text.
     *
     * @return the class, method and annotation, or the property
     */
    public String where() {
        return place.text();
    }

    /**
     * Returns the problem. If the fault affects only some methods, the text names the first few and gives the number of
     * the rest.
     *
     * @return the text to print below the location
     */
    public String description() {
        if (methods.isEmpty()) {
            return problem;
        }
        String named = String.join(", ", methods.subList(0, Math.min(NAMED, methods.size())));
        int others = methods.size() - NAMED;
        return problem + " (for " + named + (others > 0 ? " and " + others + " more" : "") + ")";
    }

    @Override
    public String toString() {
        return place + ": " + description();
    }
}

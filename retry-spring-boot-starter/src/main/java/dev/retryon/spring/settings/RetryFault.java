/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Something wrong in an annotation or property.
 *
 * @param place where it is to be corrected
 * @param problem a sentence that quotes the value and says what is allowed
 * @param methods the methods for which a property is wrong, as keys of {@code retryon.methods}; empty if it is wrong
 *     whatever the method, or if the place names the method
 * @param related the places of other values that the problem names, which may be corrected instead
 * @since 0.1.0
 */
public record RetryFault(Place place, String problem, List<String> methods, List<Place> related) {

    /** The number of methods that are named at most. */
    private static final int NAMED = 3;

    /**
     * Creates a fault.
     *
     * @param place where it is to be corrected
     * @param problem a sentence that quotes the value and says what is allowed
     * @param methods the methods for which it is wrong
     * @param related the places of other values that the problem names
     */
    public RetryFault {
        methods = List.copyOf(methods);
        related = List.copyOf(related);
    }

    /**
     * Creates a fault that is one whatever the method.
     *
     * @param place where it is to be corrected
     * @param problem a sentence that quotes the value and says what is allowed
     */
    public RetryFault(Place place, String problem) {
        this(place, problem, List.of());
    }

    /**
     * Creates a fault that is one for some methods.
     *
     * @param place where it is to be corrected
     * @param problem a sentence that quotes the value and says what is allowed
     * @param methods the methods for which it is wrong
     */
    public RetryFault(Place place, String problem, List<String> methods) {
        this(place, problem, methods, List.of());
    }

    /** Joins equal faults of a place that concern several methods; keeps the order. */
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
     * Names the place.
     *
     * @return the class, method and annotation, or the property
     */
    public String where() {
        return place.text();
    }

    /**
     * The problem and, if there are any, the methods: the first of them by name, and how many more.
     *
     * @return what is to be printed below the place
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

// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Collects faults and warnings to report them together. Until the application has started, one collection contains all
 * faults. After that, each thread that creates a bean collects the faults of that bean. Thread-safe.
 */
public final class RetryFaults implements AutoCloseable {

    private final Set<RetryFault> faults = new LinkedHashSet<>();

    private final Set<String> warnings = new LinkedHashSet<>();

    /** The properties that are ignored because {@code retryon.checks} is {@code warn}. */
    private final Set<Place> ignoredProperties = new HashSet<>();

    // Belongs to one application, and is removed when the work is complete.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<Set<RetryFault>> recording = new ThreadLocal<>();

    private final Set<String> ignored;

    private final boolean startsAnyway;

    private volatile boolean started;

    private boolean reported;

    /** Creates an empty collection in which every fault stops the application and no warning is ignored. */
    public RetryFaults() {
        this(Set.of(), false);
    }

    public RetryFaults(Collection<String> ignored, boolean startsAnyway) {
        this.ignored = ignored.stream().map(RetryWarning::codeOf).collect(Collectors.toUnmodifiableSet());
        this.startsAnyway = startsAnyway;
    }

    public void add(String property, String problem) {
        add(Place.property(property), problem);
    }

    public void add(Place place, String problem) {
        add(new RetryFault(place, problem));
    }

    /**
     * Records a fault. Equal faults are recorded once. After the application has started, faults are recorded only for
     * threads that {@linkplain #during collect} them.
     */
    public void add(RetryFault fault) {
        Set<RetryFault> own = recording.get();
        if (!isFatal(fault) || (own == null && started)) {
            return;
        }
        synchronized (this) {
            (own != null ? own : faults).add(fault);
        }
    }

    /** Logs a warning, unless its code is ignored. The same text is logged only once. */
    public void warn(RetryWarning warning, String sentence) {
        if (ignored.contains(warning.code())) {
            return;
        }
        boolean isNew;
        synchronized (this) {
            isNew = warnings.add(sentence);
        }
        if (isNew) {
            StarterLog.warnOfStart(warning.code() + ": " + sentence);
        }
    }

    /** Runs some work and returns the faults that this thread records during it. */
    public List<RetryFault> during(Runnable work) {
        Set<RetryFault> outer = recording.get();
        Set<RetryFault> own = new LinkedHashSet<>();
        recording.set(own);
        try {
            work.run();
        } finally {
            if (outer == null) {
                recording.remove();
            } else {
                recording.set(outer);
            }
        }
        return List.copyOf(own);
    }

    /**
     * Runs some work that can record faults. Until the application has started, the faults are reported together with
     * all others. After that, the faults are thrown immediately.
     */
    public void check(Runnable work) {
        List<RetryFault> found = during(work);
        if (started && !found.isEmpty()) {
            throw new RetryConfigurationException(found);
        }
        found.forEach(this::add);
    }

    /**
     * Returns whether a fault stops the application or rejects a change. Faults of properties are only logged if
     * {@code retryon.checks} is {@code warn}.
     */
    public boolean isFatal(RetryFault fault) {
        if (startsAnyway && fault.place().isProperty()) {
            synchronized (this) {
                ignoredProperties.add(fault.place());
            }
            warn(
                    RetryWarning.PROPERTY_IGNORED,
                    fault.place() + ": " + fault.problem() + " (ignored, because retryon.checks is 'warn')");
            return false;
        }
        return true;
    }

    public synchronized List<RetryFault> list() {
        return new ArrayList<>(faults);
    }

    /** Returns whether a fault has been recorded, for the whole application or in the current work of this thread. */
    public boolean hasAny() {
        Set<RetryFault> own = recording.get();
        synchronized (this) {
            return !faults.isEmpty() || (own != null && !own.isEmpty());
        }
    }

    /** Returns whether a property below the given one has a fault, even if that fault is ignored. */
    public synchronized boolean hasAnyBelow(String property) {
        Place above = Place.property(property);
        return Stream.concat(faults.stream().map(RetryFault::place), ignoredProperties.stream())
                .anyMatch(place -> place.isBelow(above));
    }

    /** Throws an exception that stops the application if a fault has been recorded. Does nothing after start-up. */
    public synchronized void throwIfAny() {
        if (!started && !faults.isEmpty()) {
            reported = true;
            throw new RetryConfigurationException(list());
        }
    }

    /**
     * Throws an exception that stops the application if a fault has been recorded. Otherwise, later faults belong to
     * the thread that records them.
     */
    public void endStart() {
        throwIfAny();
        started = true;
    }

    /** Logs faults that were not reported because the application stopped for another reason first. */
    @Override
    public synchronized void close() {
        if (!started && !reported && !faults.isEmpty()) {
            StarterLog.error(String.valueOf(new RetryConfigurationException(list()).getMessage()));
        }
    }

    /** A block of properties that checks its own values when they are bound. */
    @FunctionalInterface
    public interface CheckedProperties {

        /**
         * Records each value that is out of bounds, and returns the block with the default for each of these values.
         */
        Object checked(RetryFaults faults);
    }
}

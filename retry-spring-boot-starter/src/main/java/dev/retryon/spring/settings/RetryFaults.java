/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects all that is wrong or odd, so that it can be reported together. Thread-safe. */
public final class RetryFaults implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("dev.retryon");

    private final Set<RetryFault> faults = new LinkedHashSet<>();

    private final Set<String> warnings = new LinkedHashSet<>();

    private boolean told;

    private int noted;

    /** Creates an empty collection. */
    public RetryFaults() {}

    /**
     * Notes something wrong; the same fault is kept once.
     *
     * @param where the class, method and annotation, or the property
     * @param problem a sentence that quotes the value and says what is allowed
     */
    public synchronized void add(String where, String problem) {
        noted++;
        faults.add(new RetryFault(where, problem));
    }

    /**
     * Logs something odd; the same words are logged once.
     *
     * @param warning a sentence that names the place and the remedy
     */
    public synchronized void warn(String warning) {
        noted++;
        if (warnings.add(warning)) {
            log.warn(warning);
        }
    }

    /**
     * How often anything was noted, whether or not it was new.
     *
     * @return a number that changes with every fault and every warning
     */
    public synchronized int noted() {
        return noted;
    }

    /**
     * What is wrong so far.
     *
     * @return a copy
     */
    public synchronized List<RetryFault> list() {
        return new ArrayList<>(faults);
    }

    /**
     * Whether anything is wrong with properties below one.
     *
     * @param property the property's name
     * @return {@code true} if there is a fault there
     */
    public synchronized boolean hasAnyBelow(String property) {
        return faults.stream().anyMatch(fault -> fault.where().startsWith(property + "."));
    }

    /**
     * Takes what is wrong so far.
     *
     * @return the faults, which are forgotten here
     */
    public synchronized List<RetryFault> drain() {
        List<RetryFault> found = list();
        faults.clear();
        return found;
    }

    /**
     * Ends the application's start if anything is wrong.
     *
     * @throws RetryConfigurationException with all the faults
     */
    public synchronized void throwIfAny() {
        if (!faults.isEmpty()) {
            told = true;
            throw new RetryConfigurationException(list());
        }
    }

    /** Logs what nobody was told of, because the application ended for another reason first. */
    @Override
    public synchronized void close() {
        if (!told && !faults.isEmpty()) {
            log.error(new RetryConfigurationException(list()).getMessage());
        }
    }
}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

/** Measures one thing, in a JVM of its own. */
@FunctionalInterface
public interface Gauge {

    /**
     * Measures once.
     *
     * @param pace how long
     * @return the figures
     * @throws Exception if the JVM fails, or what is measured does not do what it has to
     */
    Sample take(Pace pace) throws Exception;
}

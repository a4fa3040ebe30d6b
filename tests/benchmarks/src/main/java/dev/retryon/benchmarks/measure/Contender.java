/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

/**
 * One of those that are compared.
 *
 * @param label its name in tables and plots
 * @param ours whether it is RetryOn
 * @param gauge what measures it
 */
public record Contender(String label, boolean ours, Gauge gauge) {}

/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

/**
 * What one operation took, once measured.
 *
 * @param nanos time in nanoseconds
 * @param bytes memory in bytes: allocated or kept, as the comparison says
 */
public record Sample(double nanos, double bytes) {}

package dev.retryon.benchmarks.measure;

/**
 * What one operation took, once measured.
 *
 * @param nanos time in nanoseconds
 * @param bytes memory in bytes: allocated or kept, as the comparison says
 */
public record Sample(double nanos, double bytes) {}

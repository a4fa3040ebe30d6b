/** Measures RetryOn beside its peers; {@link dev.retryon.benchmarks.Benchmarks} is the command. */
@NullMarked
package dev.retryon.benchmarks;

import org.jspecify.annotations.NullMarked;

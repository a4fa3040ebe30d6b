/** Settings that benchmarks share. */
@NullMarked
package dev.retryon.benchmarks.measure;

import org.jspecify.annotations.NullMarked;

/** Many calls of every kind at once, with interrupts, cancellations and faults: afterwards everything has to add up. */
@NullMarked
package dev.retryon.benchmarks.soak;

import org.jspecify.annotations.NullMarked;

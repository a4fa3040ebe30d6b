/** Many calls at once that wait for their next attempt without a thread. */
@NullMarked
package dev.retryon.benchmarks.async;

import org.jspecify.annotations.NullMarked;

/** How the cost of a retry grows: with the number of its attempt, with the number of retried methods. */
@NullMarked
package dev.retryon.benchmarks.scale;

import org.jspecify.annotations.NullMarked;

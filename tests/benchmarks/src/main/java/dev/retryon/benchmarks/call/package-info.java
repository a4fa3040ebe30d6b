/** What is called and fails, the same for every peer. */
@NullMarked
package dev.retryon.benchmarks.call;

import org.jspecify.annotations.NullMarked;

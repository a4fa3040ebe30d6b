/** Calls through the peers' engines, without Spring. */
@NullMarked
package dev.retryon.benchmarks.engine;

import org.jspecify.annotations.NullMarked;

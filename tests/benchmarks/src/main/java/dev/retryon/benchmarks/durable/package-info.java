/** Durable calls beside the engine below them: how many are stored and made in a second, and how late. */
@NullMarked
package dev.retryon.benchmarks.durable;

import org.jspecify.annotations.NullMarked;

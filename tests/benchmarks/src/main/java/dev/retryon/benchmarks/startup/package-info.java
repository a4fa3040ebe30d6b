/** Starting an application with many beans. */
@NullMarked
package dev.retryon.benchmarks.startup;

import org.jspecify.annotations.NullMarked;

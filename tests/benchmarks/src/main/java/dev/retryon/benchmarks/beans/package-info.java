/** Applications with hundreds of generated beans. */
@NullMarked
package dev.retryon.benchmarks.beans;

import org.jspecify.annotations.NullMarked;

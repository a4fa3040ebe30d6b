/** Taking the figures: rounds, forks, medians. */
@NullMarked
package dev.retryon.benchmarks.measure;

import org.jspecify.annotations.NullMarked;

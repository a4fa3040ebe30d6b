/** What is printed, written and drawn of the figures. */
@NullMarked
package dev.retryon.benchmarks.report;

import org.jspecify.annotations.NullMarked;

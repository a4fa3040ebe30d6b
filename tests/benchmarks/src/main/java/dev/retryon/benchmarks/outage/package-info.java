/** Three nodes and the outage of a partner, whose calls wait in a lane. */
@NullMarked
package dev.retryon.benchmarks.outage;

import org.jspecify.annotations.NullMarked;

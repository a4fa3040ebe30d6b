/** As many asynchronous calls as an application could have in flight together. */
@NullMarked
package dev.retryon.benchmarks.load;

import org.jspecify.annotations.NullMarked;

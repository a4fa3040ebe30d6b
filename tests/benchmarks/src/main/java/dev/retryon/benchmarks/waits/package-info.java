// SPDX-License-Identifier: Apache-2.0
/** Many blocking calls at once, each on a thread of its own that waits for the next attempt. */
@NullMarked
package dev.retryon.benchmarks.waits;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Internal. What stores calls in all states, and passes those that are due to a worker: a database, or the memory of a test. */
@NullMarked
package dev.retryon.durable.internal.engine;

import org.jspecify.annotations.NullMarked;

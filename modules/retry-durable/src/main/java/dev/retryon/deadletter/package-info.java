// SPDX-License-Identifier: Apache-2.0
/**
 * Dead letters: calls that have failed permanently and are stored. {@link dev.retryon.durable.DeadLetters} lists and resends
 * them.
 */
@NullMarked
package dev.retryon.deadletter;

import org.jspecify.annotations.NullMarked;

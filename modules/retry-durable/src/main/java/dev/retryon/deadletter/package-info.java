// SPDX-License-Identifier: Apache-2.0
/**
 * Dead letters: calls that have failed permanently and are stored. A {@link dev.retryon.deadletter.DeadLetter} is in a
 * {@link dev.retryon.deadletter.DeadLetterStore}. The engine itself only knows {@link dev.retryon.DeadLetterQueue}.
 */
@NullMarked
package dev.retryon.deadletter;

import org.jspecify.annotations.NullMarked;

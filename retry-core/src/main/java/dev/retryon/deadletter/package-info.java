// SPDX-License-Identifier: Apache-2.0
/**
 * Dead letters: calls that have failed for good and are kept. A {@link dev.retryon.deadletter.DeadLetter} is kept in
 * a {@link dev.retryon.deadletter.DeadLetterStore}. This package depends on the root package. The engine itself only
 * knows {@link dev.retryon.DeadLetterQueue}.
 */
@NullMarked
package dev.retryon.deadletter;

import org.jspecify.annotations.NullMarked;

/**
 * Internal. Calls that have failed for good: how they get into the store with their arguments, and how they are sent again. Where they
 * are kept is a {@link dev.retryon.deadletter.DeadLetterStore}.
 */
@NullMarked
package dev.retryon.durable.internal.letter;

import org.jspecify.annotations.NullMarked;

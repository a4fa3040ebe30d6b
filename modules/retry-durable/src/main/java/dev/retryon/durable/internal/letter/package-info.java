/**
 * Internal. Stores failed calls with their arguments in a {@link dev.retryon.durable.internal.engine.DeadLetterStore}, and resends them.
 */
@NullMarked
package dev.retryon.durable.internal.letter;

import org.jspecify.annotations.NullMarked;

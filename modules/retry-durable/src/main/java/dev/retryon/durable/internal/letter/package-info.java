/**
 * Internal. Stores failed calls with their arguments in a {@link dev.retryon.durable.internal.engine.CallStore}, checks that at start-up, and deletes old ones.
 */
@NullMarked
package dev.retryon.durable.internal.letter;

import org.jspecify.annotations.NullMarked;

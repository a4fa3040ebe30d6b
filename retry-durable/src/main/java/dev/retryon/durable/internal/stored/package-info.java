/**
 * Turns the arguments of calls into JSON and back. {@code Codec} and {@code CodecException} are API, all else is internal.
 * Knows only {@code expression} and {@code settings}.
 */
@NullMarked
package dev.retryon.durable.internal.stored;

import org.jspecify.annotations.NullMarked;

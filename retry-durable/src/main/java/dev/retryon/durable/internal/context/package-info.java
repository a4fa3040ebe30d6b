/**
 * What surrounds a call or an attempt that is made later: the log context and the trace of the one who asked for it.
 * Internal. Knows only {@code settings}.
 */
@NullMarked
package dev.retryon.durable.internal.context;

import org.jspecify.annotations.NullMarked;

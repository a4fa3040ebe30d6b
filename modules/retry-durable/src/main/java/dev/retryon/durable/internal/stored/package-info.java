/**
 * Internal. The stored parts of a call and of its surroundings: its arguments as JSON, its method and bean, the log context
 * and the trace.
 */
@NullMarked
package dev.retryon.durable.internal.stored;

import org.jspecify.annotations.NullMarked;

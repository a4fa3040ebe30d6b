/**
 * Internal. The stored parts of a call and of its surroundings: its arguments as JSON, its method and bean, the log context
 * and the trace.
 */
@NullMarked
package dev.retryon.durable.internal.invocation;

import org.jspecify.annotations.NullMarked;

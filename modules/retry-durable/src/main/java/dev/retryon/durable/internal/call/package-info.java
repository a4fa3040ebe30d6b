// SPDX-License-Identifier: Apache-2.0
/**
 * Internal. Calls that survive the process: they are stored instead of a retry or of the first attempt, and a worker runs them
 * later. A {@link dev.retryon.durable.internal.engine.CallEngine} decides when and where. The result of an attempt is handled
 * as for any call.
 */
@NullMarked
package dev.retryon.durable.internal.call;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Internal. Gauges of the store. */
@NullMarked
package dev.retryon.durable.internal.observe;

import org.jspecify.annotations.NullMarked;

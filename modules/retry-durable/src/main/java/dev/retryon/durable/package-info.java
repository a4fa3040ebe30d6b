// SPDX-License-Identifier: Apache-2.0
/** Durable calls and dead letters: calls that survive the process, and calls that failed permanently. */
@NullMarked
package dev.retryon.durable;

import org.jspecify.annotations.NullMarked;

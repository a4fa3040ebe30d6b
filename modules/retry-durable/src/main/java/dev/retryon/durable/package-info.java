// SPDX-License-Identifier: Apache-2.0
/**
 * Durable calls, which survive the end of the process, and dead letters, which are calls that have failed
 * permanently.
 */
@NullMarked
package dev.retryon.durable;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Auto-configurations of durable calls and dead letters. All other types are internal. */
@NullMarked
package dev.retryon.durable.autoconfigure;

import org.jspecify.annotations.NullMarked;

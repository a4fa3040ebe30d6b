// SPDX-License-Identifier: Apache-2.0
/** The settings of {@code @Durable}, which the starter merges and shows like those of {@code @RetryOn}. */
@NullMarked
package dev.retryon.durable.internal.settings;

import org.jspecify.annotations.NullMarked;

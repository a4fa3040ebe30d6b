// SPDX-License-Identifier: Apache-2.0
/** Internal. Changes of settings for all nodes: stored in the shared database, and applied by every node. */
@NullMarked
package dev.retryon.durable.internal.shared;

import org.jspecify.annotations.NullMarked;

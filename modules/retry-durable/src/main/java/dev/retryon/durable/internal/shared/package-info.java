// SPDX-License-Identifier: Apache-2.0
/** Internal. Changes of settings that an operator makes for all nodes: kept in the shared database, followed by every node. */
@NullMarked
package dev.retryon.durable.internal.shared;

import org.jspecify.annotations.NullMarked;

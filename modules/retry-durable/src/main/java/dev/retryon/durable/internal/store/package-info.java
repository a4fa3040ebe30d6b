// SPDX-License-Identifier: Apache-2.0
/**
 * Internal. The database that stores calls: its selection, tables and transactions. The packages that use a table know its rows.
 */
@NullMarked
package dev.retryon.durable.internal.store;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Internal. Stores calls in all states, and passes due calls to a worker. Applications use a database, and tests may use memory. */
@NullMarked
package dev.retryon.durable.internal.engine;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Internal. Endpoints and health indicators of dead letters and durable calls. */
@NullMarked
package dev.retryon.durable.internal.actuate;

import org.jspecify.annotations.NullMarked;

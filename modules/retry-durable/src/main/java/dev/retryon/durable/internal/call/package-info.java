// SPDX-License-Identifier: Apache-2.0
/**
 * Calls that survive the process: stored in the place of a retry or of a first attempt, and made later by a worker. An engine
 * behind {@code CallEngine} decides when and where; what follows an attempt is decided as for any call. {@code CallEngine}, {@code
 * CallLease}, {@code LeaseLostException} and {@code LeaseExpiredException} are API, all else is internal.
 */
@NullMarked
package dev.retryon.durable.internal.call;

import org.jspecify.annotations.NullMarked;

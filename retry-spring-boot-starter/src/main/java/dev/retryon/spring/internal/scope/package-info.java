// SPDX-License-Identifier: Apache-2.0
/** Internal. Overrides for the calls of a lambda, which the API opens and the advice applies. */
@NullMarked
package dev.retryon.spring.internal.scope;

import org.jspecify.annotations.NullMarked;

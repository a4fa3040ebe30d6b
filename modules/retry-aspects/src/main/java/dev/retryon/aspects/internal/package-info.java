// SPDX-License-Identifier: Apache-2.0
/** The contexts whose settings woven methods have. */
@NullMarked
package dev.retryon.aspects.internal;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** AspectJ mode: retries of methods that no proxy reaches, by weaving. */
@NullMarked
package dev.retryon.aspects;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Races in the core. Each class states the outcomes that are allowed; jcstress looks for others. */
@NullMarked
package dev.retryon.stress;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** The page for operators. It has no API: everything here is internal. */
@NullMarked
package dev.retryon.dashboard;

import org.jspecify.annotations.NullMarked;

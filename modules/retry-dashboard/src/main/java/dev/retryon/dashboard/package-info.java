// SPDX-License-Identifier: Apache-2.0
/** The page for operators. This package has no API, because all of its types are internal. */
@NullMarked
package dev.retryon.dashboard;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** The data that the page needs and that no other module keeps. */
@NullMarked
package dev.retryon.dashboard.internal;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** The check of all beans with retried methods, before start-up is complete. */
@NullMarked
package dev.retryon.spring.internal.check;

import org.jspecify.annotations.NullMarked;

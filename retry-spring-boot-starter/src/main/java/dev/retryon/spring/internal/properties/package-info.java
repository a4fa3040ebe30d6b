// SPDX-License-Identifier: Apache-2.0
/** The check of properties below {@code retryon}: properties that do not exist, and values that cannot be read. */
@NullMarked
package dev.retryon.spring.internal.properties;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of AspectJ mode. */
@NullMarked
package dev.retryon.aspects.autoconfigure;

import org.jspecify.annotations.NullMarked;

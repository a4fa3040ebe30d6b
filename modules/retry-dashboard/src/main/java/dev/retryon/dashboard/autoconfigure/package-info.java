// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of the page for operators. */
@NullMarked
package dev.retryon.dashboard.autoconfigure;

import org.jspecify.annotations.NullMarked;
